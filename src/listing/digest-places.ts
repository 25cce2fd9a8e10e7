import { type Requester, Semaphore } from '../concurrency/semaphore.js';
import { unavailable } from '../errors/errors.js';

/** That are counted at the same time. */
const MOST_AT_ONCE = 2;
/** Of one address, with those that wait. */
const MOST_OF_ADDRESS = 2;

/**
 * Digests that are counted, and a queue of those that wait. One address has few places in it: it may ask again and again, and others come in
 * between.
 */
export class DigestPlaces {
  private readonly atOnce = new Semaphore(MOST_AT_ONCE);
  private readonly taken = new Map<string, number>();

  /** @throws what `count` throws; ApiError 503 where the address has its places already, or the requester has gone before the count began */
  async run<Result>(address: string, requester: Requester, count: () => Promise<Result>): Promise<Result> {
    const before = this.taken.get(address) ?? 0;
    if (before >= MOST_OF_ADDRESS)
      throw unavailable('places_taken', 'Too many digests of this address are under way: try again soon');
    this.taken.set(address, before + 1);
    try {
      return await this.atOnce.run(count, requester);
    } finally {
      const left = (this.taken.get(address) as number) - 1;
      if (left === 0) this.taken.delete(address);
      else this.taken.set(address, left);
    }
  }
}
