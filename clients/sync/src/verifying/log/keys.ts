import type { LogIdentity } from 'asset-registry-client';
import { LogError, readVerifierKey, renamedKey, type VerifierKey } from 'asset-registry-tlog';

/** The epoch of the feed at the end of an origin. */
const EPOCH = /\/[0-9a-f]{32}$/;

/** The origin without the epoch. */
export function nameOf(origin: string): string {
  return origin.replace(EPOCH, '');
}

/** Renames keys of other epochs of the same name, and keys of the bare name, to this origin. */
export function keysUnder(origin: string, keys: readonly VerifierKey[]): VerifierKey[] {
  const name = nameOf(origin);
  return keys.map((key) => (key.name === name || nameOf(key.name) === name ? renamedKey(key, origin) : key));
}

/** The keys that a registry publishes, without those of unknown types. */
export function publishedKeys({ publicKeys }: LogIdentity): VerifierKey[] {
  return publicKeys.flatMap((text) => {
    try {
      const key = readVerifierKey(text);
      return key.kind === 'log' ? [key] : [];
    } catch (error) {
      if (error instanceof LogError) return [];
      throw error;
    }
  });
}

/** Advice for a key that the registry publishes but that is not trusted. */
export function otherKeyAdvice(key: string): string {
  return `The registry names another key ${key}: pass it with --log-key once you know that it is genuine`;
}
