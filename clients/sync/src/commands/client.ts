import { type ClientOptions, RegistryClient } from 'asset-registry-client';
import { VERSION } from '../version.js';

/** Retries and the pause at the end of the feed; the client's defaults unless given. */
export type ClientNumbers = Pick<ClientOptions, 'retries' | 'pollMs'>;

export function clientOf(
  url: string,
  signal: AbortSignal,
  options: ClientNumbers & Pick<ClientOptions, 'onWait'>,
): RegistryClient {
  return new RegistryClient(url, { signal, userAgent: `registry-sync/${VERSION}`, ...options });
}
