import { loadService } from './loaded-service.js';

let isStalledSince: (sinceMs: number) => boolean = () => false;

/** Pings the tests' database server until `signal`. */
export async function watchForStalls(signal: AbortSignal): Promise<void> {
  const watch = await loadService();
  isStalledSince = watch.stalledSince;
  await watch.watchForStalls(signal);
}

/**
 * Whether that server, or this process, stalls or has stalled since: then requests that need the database are rightly answered 503.
 * @param sinceMs a `performance.now()`; the registry may still be recovering from a stall just before it
 */
export function stalledSince(sinceMs: number): boolean {
  return isStalledSince(sinceMs);
}
