/** Called with what those who wait for changes are sent: it must be quick and never throw. */
export interface LiveObserver {
  /** All who were level have been sent a change. @param ms since its instant */
  sent(ms: number): void;
}

export const LIVE_OBSERVER = Symbol('LIVE_OBSERVER');
