import { type ClientOptions, RegistryClient } from 'asset-registry-client';
import { VERSION } from '../version.js';

/** Number of retries, and the pause at the end of the feed. The default is that of `RegistryClient`. */
export type ClientPace = Pick<ClientOptions, 'retries' | 'pollMs'>;

export function clientOf(
  url: string,
  signal: AbortSignal,
  options: ClientPace & Pick<ClientOptions, 'onWait'>,
): RegistryClient {
  return new RegistryClient(url, { signal, userAgent: `registry-sync/${VERSION}`, ...options });
}
