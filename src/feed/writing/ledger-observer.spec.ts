import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { creation, MemoryStore, type Step, submitOne } from '../../../test/support/memory-store.js';
import { DurableWatermark, LedgerClock, SettledWatermark } from '../watermarks.js';
import { Ledger } from './ledger.js';
import type { BatchTimes, LedgerObserver } from './ledger-observer.js';
import { OutcomeUnknownError, RetryableError } from './ledger-store.js';
import { SYSTEM_TIMING } from '../clock/wall-clock.js';

/** How long each step of a transaction takes. */
const STEP_MS: Partial<Record<Step, number>> = { begin: 1, clock: 20, insert: 300, commit: 4_000 };

let store: MemoryStore;
let batches: BatchTimes[];
let retries: number;
let unknown: number;
let barrierMs: number[];
let observer: LedgerObserver;
let ledger: Ledger;

const pass = (ms = 0): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => void setTimeout(resolve, ms));

beforeEach(() => {
  jest.useFakeTimers();
  store = new MemoryStore();
  [batches, retries, unknown, barrierMs] = [[], 0, 0, []];
  observer = {
    committed: (batch) => void batches.push(batch),
    retried: () => void retries++,
    outcomeUnknown: () => void unknown++,
    waitedForBarrier: (ms) => void barrierMs.push(ms),
  };
  const clock = new LedgerClock({
    wallClock: { nowUs: () => 1_000, isTrusted: true },
    settled: new SettledWatermark(),
    durable: new DurableWatermark({ needsBarrier: () => false, timesLost: () => 0, flush: () => Promise.resolve() }),
    dayOf: () => 'day',
  });
  ledger = new Ledger({
    store,
    timing: SYSTEM_TIMING,
    clock,
    observer,
    assetIdOf: (day, number) => `${day}-${number}`,
  });
});
afterEach(() => void jest.useRealTimers());

describe('the observer of the ledger', () => {
  it('receives the duration of each part of a batch', async () => {
    store.fault = (step) => pass(STEP_MS[step]);
    const made = [submitOne(ledger, creation('a')), submitOne(ledger, creation('b'))];
    await jest.advanceTimersByTimeAsync(5_000);
    await Promise.all(made);
    expect(batches).toEqual([
      { changes: 2, bytes: 4_104, totalMs: 4_321, clockWaitMs: 20, clockHeldMs: 4_300, commitMs: 4_000 },
    ]);
  });

  it('receives retries and unanswered commits, but no durations for them', async () => {
    store.fault = (step, transaction) => {
      if (step === 'insert' && transaction === 1) throw new RetryableError('deadlock');
      if (step === 'commit' && transaction === 2) throw new OutcomeUnknownError('committed');
    };
    const made = submitOne(ledger, creation('a'));
    await jest.advanceTimersByTimeAsync(1_000);
    await made;
    expect([retries, batches.length, unknown]).toEqual([1, 0, 1]);
  });

  it('receives the time that an answer waited at the read barrier, if it waited', async () => {
    const durable = new DurableWatermark(
      { needsBarrier: () => true, timesLost: () => 0, flush: () => pass(30) },
      observer,
    );
    const waited = durable.waitFor(5);
    await jest.advanceTimersByTimeAsync(30);
    await waited;
    await durable.waitFor(5);
    expect(barrierMs).toEqual([30]);
  });
});

describe('operations that wait for a batch', () => {
  it('are counted until their batch begins', async () => {
    store.fault = (step) => pass(step === 'commit' ? 100 : 0);
    const made = [creation('a', 10), creation('b', 20), creation('b', 30)].map((operation) =>
      submitOne(ledger, operation),
    );
    expect(ledger.waiting).toEqual({ changes: 3, bytes: 60 });
    await jest.advanceTimersByTimeAsync(0);
    expect(ledger.waiting).toEqual({ changes: 1, bytes: 30 });
    await jest.advanceTimersByTimeAsync(300);
    await Promise.all(made);
    expect(ledger.waiting).toEqual({ changes: 0, bytes: 0 });
  });
});
