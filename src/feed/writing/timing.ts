import { setTimeout as sleep } from 'node:timers/promises';

/** How the ledger waits; a simulation puts its own time in its place. */
export interface Timing {
  sleep(ms: number): Promise<void>;
  /** Gives the event loop back once: resolves when everything that has arrived by now was looked at. */
  turn(): Promise<void>;
  /** A time that never steps, in milliseconds. */
  nowMs(): number;
  /** Calls `act` once, after that time. @returns what cancels it */
  after(ms: number, act: () => void): () => void;
  /** At least 0 and less than 1. */
  random(): number;
}

export const SYSTEM_TIMING: Timing = {
  sleep: (ms) => sleep(ms),
  turn: () => new Promise((resolve) => void setImmediate(resolve)),
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
