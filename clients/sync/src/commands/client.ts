import { type ClientOptions, RegistryClient } from 'asset-registry-client';
import { VERSION } from '../version.js';

/** How often a request is repeated, and how long the end of the feed is paused at: the client's own numbers unless given. */
export type ClientNumbers = Pick<ClientOptions, 'retries' | 'pollMs'>;

export function clientOf(
  url: string,
  signal: AbortSignal,
  options: ClientNumbers & Pick<ClientOptions, 'onWait'>,
): RegistryClient {
  return new RegistryClient(url, { signal, userAgent: `registry-sync/${VERSION}`, ...options });
}
