import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { creation, decided, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import { LANE_LIMITS, type Ledger } from './ledger.js';
import { RetryableError } from './ledger-store.js';
import type { Waiter } from './operation.js';

let store: MemoryStore;
let lane: Ledger;
let commit: { release: () => void };

/** A client that disconnects when the test calls `go`. */
function client(): Waiter & { go: () => void } {
  const acts: (() => void)[] = [];
  let hasGone = false;
  return {
    isGone: () => hasGone,
    whenGone: (act) => void acts.push(act),
    go: () => {
      hasGone = true;
      for (const act of acts) act();
    },
  };
}

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store, LANE_LIMITS);
  commit = { release: () => undefined };
  const suspended = new Promise<void>((resolve) => (commit.release = resolve));
  store.fault = (at, number) => (at === 'commit' && number === 1 ? suspended : undefined);
});

describe('an operation whose client has gone', () => {
  it('is dropped if it still waits', async () => {
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const waiter = client();
    const waiting = submitOne(lane, { ...creation('b'), waiter });
    const refused = expect(waiting).rejects.toMatchObject({ status: 503 });
    waiter.go();
    await refused;
    const next = submitOne(lane, creation('c'));
    commit.release();
    await Promise.all([first, next]);
    expect([...store.rows.keys()]).toEqual(['a', 'c']);
  });

  it('is finished if it has begun', async () => {
    const waiter = client();
    const answered = jest.fn();
    const begun = submitOne(lane, { ...creation('a'), waiter }).then(answered);
    await setImmediate();
    waiter.go();
    await setImmediate();
    expect(answered).not.toHaveBeenCalled();
    commit.release();
    await begun;
    expect([...store.rows.keys()]).toEqual(['a']);
  });
});

describe('a batch that the database refused', () => {
  it('is not retried if the database now refuses all writes', async () => {
    store.fault = () => {
      store.isAway = true;
      throw new RetryableError('full');
    };
    await expect(submitOne(lane, creation('a'))).rejects.toMatchObject({ status: 503 });
    expect(store.log).toEqual(['begin 1']);
  });
});

describe('an operation that has passed its deadline', () => {
  afterEach(() => void jest.useRealTimers());

  it('does not fail the others of its batch', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { deadlineMs } = LANE_LIMITS;
    const suspended = new Promise<void>((resolve) => (commit.release = resolve));
    store.fault = (at, number) => (at === 'insert' && number === 1 ? suspended : undefined);
    store.refuses = (asset) => asset.body === 'poison';
    const bad = submitOne(lane, { ...creation('bad'), waitedMs: 1_000, decide: () => decided('bad', 'poison') });
    const good = submitOne(lane, creation('a'));
    await setImmediate();
    jest.advanceTimersByTime(deadlineMs - 500);
    commit.release();
    await expect(bad).rejects.toMatchObject({ status: 503 });
    await expect(good).resolves.toMatchObject({ id: 'a' });
  });
});

describe('a creation', () => {
  it('is refused if its request has already waited too long', async () => {
    await expect(submitOne(lane, { ...creation('a'), waitedMs: LANE_LIMITS.deadlineMs })).rejects.toMatchObject({
      status: 503,
    });
    expect(store.log).toEqual([]);
  });
});
