/** Receives events of the feed while a request waits, so it must be quick and never throw. */
export interface FeedObserver {
  /** A page waited for its read point. */
  waitedForReadPoint(ms: number): void;
}

export const FEED_OBSERVER = Symbol('FEED_OBSERVER');

/** For simulations and tests. */
export const UNOBSERVED_FEED: FeedObserver = { waitedForReadPoint: () => undefined };
