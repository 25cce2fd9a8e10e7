/** Who wants to know how the feed is doing. Told on the way of a request, so it is quick and never throws. */
export interface FeedObserver {
  /** A page has waited for that time, in milliseconds, for its read point. */
  waitedForReadPoint(ms: number): void;
}

/** Injection token of the FeedObserver. */
export const FEED_OBSERVER = Symbol('FEED_OBSERVER');

/** Where nobody wants to know: a simulation, a test. */
export const UNOBSERVED_FEED: FeedObserver = { waitedForReadPoint: () => undefined };
