/** Called for each request that is refused by a rate limit, while the request waits: it must be quick and never throw. */
export interface LimitObserver {
  /** @param limit by its name in RateLimit-Policy */
  refusedByLimit(limit: string): void;
}

/** Injection token of the LimitObserver. */
export const LIMIT_OBSERVER = Symbol('LIMIT_OBSERVER');
