import { loadService } from './loaded-service.js';

let stood: (sinceMs: number) => boolean = () => false;

/** Pings the tests' database server until `signal`. */
export async function lookForStandstills(signal: AbortSignal): Promise<void> {
  const watch = await loadService();
  stood = watch.stoodStill;
  await watch.lookForStandstills(signal);
}

/**
 * Whether that server, or this process, stalls or has stalled since: then requests that need the database are rightly answered 503.
 * @param sinceMs a `performance.now()`; the registry may still be recovering from a stall just before it
 */
export function stoodStill(sinceMs: number): boolean {
  return stood(sinceMs);
}
