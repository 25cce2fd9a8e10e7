/** Receives events of live updates, so it must be quick and never throw. */
export interface LiveObserver {
  /** A change was sent to all followers that were caught up. @param ms since its instant */
  sent(ms: number): void;
}

export const LIVE_OBSERVER = Symbol('LIVE_OBSERVER');
