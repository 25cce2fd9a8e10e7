import { RegistryClient } from 'asset-registry-client';
import type { CopyObserver } from '../copying/observer.js';
import { VERSION } from '../version.js';

/** @param retries how often a request is repeated; the client's own number unless given */
export function clientOf(url: string, observer: CopyObserver, signal: AbortSignal, retries?: number): RegistryClient {
  return new RegistryClient(url, {
    signal,
    userAgent: `registry-sync/${VERSION}`,
    onWait: (wait) => observer.wait(wait),
    ...(retries !== undefined && { retries }),
  });
}
