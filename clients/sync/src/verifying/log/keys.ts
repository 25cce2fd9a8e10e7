import type { LogIdentity } from 'asset-registry-client';
import { LogError, readVerifierKey, renamedKey, type VerifierKey } from 'asset-registry-tlog';

/** The epoch of the feed, with which an origin ends. */
const EPOCH = /\/[0-9a-f]{32}$/;

/** An origin without the epoch. */
export function nameOf(origin: string): string {
  return origin.replace(EPOCH, '');
}

/** Keys that were known under another epoch of the same name, or under the bare name, as the registry names them under an origin. */
export function keysUnder(origin: string, keys: readonly VerifierKey[]): VerifierKey[] {
  const name = nameOf(origin);
  return keys.map((key) => (key.name === name || nameOf(key.name) === name ? renamedKey(key, origin) : key));
}

/** The keys that a registry names, but for those of kinds that are not known here. */
export function keysNamedBy({ publicKeys }: LogIdentity): VerifierKey[] {
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

/** What to do about a key that the registry names, and that is not believed. */
export function namesAnother(key: string): string {
  return `The registry names another key ${key}: give it with --log-key once you know that it is meant`;
}
