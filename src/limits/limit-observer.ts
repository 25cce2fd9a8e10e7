/** Who wants to know of requests that come too often. Told on the way of a request, so it is quick and never throws. */
export interface LimitObserver {
  /** @param limit by its name in RateLimit-Policy */
  refusedByLimit(limit: string): void;
}

/** Injection token of the LimitObserver. */
export const LIMIT_OBSERVER = Symbol('LIMIT_OBSERVER');
