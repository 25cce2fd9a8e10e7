import type { EventStreamAnswer } from '../http/event-stream.js';
import type { Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import type { ListingQuery } from './feed-pages.js';

/** A request that waits for changes. */
export interface WaitingRequest {
  request: RegistryRequest;
  caller: Caller;
  /** Waits for changes after this instant, in microseconds; -1 for the first change in the feed. */
  afterUs: number;
}

/** Long polling and event streams of the listing. Source: contract section 12. */
export interface LiveUpdates {
  /**
   * Waits until there may be an entry that the caller has not seen, or another epoch.
   * @param epoch known to the caller @param untilMs on the monotonic clock
   * @returns false after `untilMs`, or if the service shuts down
   * @throws ApiError 503 if too many requests wait
   */
  wait(waiting: WaitingRequest, epoch: string, untilMs: number): Promise<boolean>;
  /** Streams the feed as events until the client disconnects. @throws ApiError 503 */
  follow(waiting: WaitingRequest, fields: ListingQuery['fields']): Promise<EventStreamAnswer>;
}

export const LIVE_UPDATES = Symbol('live');
