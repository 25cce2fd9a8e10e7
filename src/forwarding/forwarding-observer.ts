/**
 * What came of a write of a process that is not the one that writes for its host: `answered` there (also by a refusal), `here` as it could
 * not be sent or was not begun there, `unknown` when no answer came.
 */
export type ForwardingOutcome = 'answered' | 'here' | 'unknown';

/** Called for each such write, while it waits: it must be quick and never throw. */
export interface ForwardingObserver {
  forwarded(outcome: ForwardingOutcome): void;
}

/** Injection token of the ForwardingObserver. */
export const FORWARDING_OBSERVER = Symbol('FORWARDING_OBSERVER');
