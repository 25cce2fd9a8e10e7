import { loadService } from './loaded-service.js';

let stood: (sinceMs: number) => boolean = () => false;

/** Looks again and again whether the database server of the tests answers, until `signal`. */
export async function lookForStandstills(signal: AbortSignal): Promise<void> {
  const watch = await loadService();
  stood = watch.stoodStill;
  await watch.lookForStandstills(signal);
}

/**
 * Whether that server, or this process, stands still or did so since then: what needs the database is 503 meanwhile, rightly.
 * @param sinceMs as `performance.now()` tells it; the registry may still be getting over one that was just before
 */
export function stoodStill(sinceMs: number): boolean {
  return stood(sinceMs);
}
