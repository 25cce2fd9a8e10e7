import type { EventStreamAnswer } from '../http/event-stream.js';
import type { Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import type { ListingQuery } from './feed-pages.js';

/** One who waits for what comes in the feed. */
export interface Waiting {
  request: RegistryRequest;
  caller: Caller;
  /** Waits for what comes after this instant, in microseconds; -1: for the first change of all. */
  afterUs: number;
}

/** What the listing does for those who wait for changes. Source: contract section 12. */
export interface LiveUpdates {
  /**
   * Waits until there may be an entry that the caller has not seen, or another history.
   * @param epoch the history that the caller knows @param untilMs by the monotonic clock
   * @returns false where the time is over, or the service ends
   * @throws ApiError 503 when too many wait
   */
  wait(waiting: Waiting, epoch: string, untilMs: number): Promise<boolean>;
  /** The feed as events, for as long as the client likes. @throws ApiError 503 */
  follow(waiting: Waiting, fields: ListingQuery['fields']): Promise<EventStreamAnswer>;
}

export const LIVE_UPDATES = Symbol('live');
