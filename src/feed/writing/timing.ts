import { setTimeout as sleep } from 'node:timers/promises';

/** How the ledger waits; a simulation puts its own time in its place. */
export interface Timing {
  sleep(ms: number): Promise<void>;
  /** Resolves when everything that has arrived by now was looked at. */
  turn(): Promise<void>;
  /** Calls `act` once, after that time. @returns what calls it off */
  after(ms: number, act: () => void): () => void;
  /** From 0 up to 1, without 1. */
  random(): number;
}

export const SYSTEM_TIMING: Timing = {
  sleep: (ms) => sleep(ms),
  turn: () => new Promise((resolve) => void setImmediate(resolve)),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
