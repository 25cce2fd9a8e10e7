/** Called for each request that a rate limit refuses, before the answer: must be quick and never throw. */
export interface LimitObserver {
  /** @param limit by its name in RateLimit-Policy */
  refusedByLimit(limit: string): void;
}

/** Injection token of the LimitObserver. */
export const LIMIT_OBSERVER = Symbol('LIMIT_OBSERVER');
