import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { append, creation, ledgerOver, MemoryStore, type Step, submitOne } from '../../../test/support/memory-store.js';
import { LANE_LIMITS, type Ledger } from './ledger.js';

let store: MemoryStore;
let lane: Ledger;

/** Another session holds the lock of the clock during a transaction, until the test releases it. */
function holdClock(transaction: number): () => void {
  let release = (): void => undefined;
  const locked = new Promise<void>((resolve) => (release = resolve));
  let isFirst = true;
  store.fault = (step, number) => {
    if (step !== 'clock' || number !== transaction || !isFirst) return undefined;
    isFirst = false;
    return locked;
  };
  return release;
}

const logged = (step: Step | 'rollback' | 'lock free'): string[] => store.log.filter((line) => line.startsWith(step));

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});
afterEach(() => void jest.useRealTimers());

describe('a lane that waits for the clock', () => {
  it('writes operations that arrive meanwhile in the same transaction', async () => {
    const release = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const others = ['b', 'c', 'd'].map((id) => submitOne(lane, creation(id)));
    await setImmediate();
    release();
    const made = await Promise.all([first, ...others]);
    expect(logged('commit')).toEqual(['commit 1']);
    expect(made.map(({ modifiedUs }) => modifiedUs)).toEqual([1_000, 1_001, 1_002, 1_003]);
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day5-2', 'day5-3', 'day5-4']);
    expect(store.audit).toHaveLength(4);
  });

  it('locks the rows of joining changes', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
    await lane.idle();
    const release = holdClock(2);
    const first = submitOne(lane, append('a', 'x'));
    await setImmediate();
    const others = [append('c', 'y'), append('b', 'z')].map((change) => submitOne(lane, change));
    release();
    const changed = await Promise.all([first, ...others]);
    expect(changed.map(({ body }) => body)).toEqual(['{}x', '{}y', '{}z']);
    expect(logged('lock free')).toEqual(['lock free a', 'lock free b c']);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    expect(store.revisions).toHaveLength(3);
  });

  it('leaves operations on the same assets, or beyond the limits of a batch, to the next one', async () => {
    lane = ledgerOver(store, { ...LANE_LIMITS, batchCount: 2 });
    const release = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const others = [append('a', 'x'), creation('b'), creation('c')].map((operation) => submitOne(lane, operation));
    release();
    await Promise.all([first, ...others]);
    expect(logged('insert')).toEqual(['insert 2', 'insert 1']);
    expect(store.rows.get('a')?.body).toBe('{}x');
  });

  it('does not wait for an asset locked by another writer, which may wait for the clock', async () => {
    await Promise.all(['a', 'b'].map((id) => submitOne(lane, creation(id))));
    await lane.idle();
    store.lockedByOthers.add('b');
    const release = holdClock(2);
    const first = submitOne(lane, append('a', 'x'));
    await setImmediate();
    const second = submitOne(lane, append('b', 'y'));
    release();
    await first;
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    store.lockedByOthers.clear();
    expect((await second).body).toBe('{}y');
  });

  it('leaves operations with a receipt, which another writer may have locked, to the next batch', async () => {
    const release = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const receipt = { id: 'r', bodyDigest: 'b', assetId: 'b', salt: 's' };
    const second = submitOne(lane, { ...creation('b'), receipt });
    release();
    await Promise.all([first, second]);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    expect(store.receipts.get('r')?.assetId).toBe('b');
  });

  it('leaves operations that need a transfer code to the next batch', async () => {
    await lane.submit(creation('a'));
    await lane.idle();
    store.codes.set('a', { id: 'a', digest: 'c', expiresUs: 1 });
    const release = holdClock(2);
    const first = lane.submit(creation('b'));
    await setImmediate();
    const second = lane.submit({ ...append('a', 'x'), usesCode: true });
    release();
    await Promise.all([first, second]);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2', 'commit 3']);
    expect(store.codes.size).toBe(0);
  });

  it('does not write operations that have passed their deadline', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const release = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs - 1);
    const second = submitOne(lane, creation('b'));
    jest.advanceTimersByTime(1);
    await expect(first).rejects.toMatchObject({ status: 503 });
    release();
    expect((await second).assetId).toBe('day5-1');
    expect([...store.rows.keys()]).toEqual(['b']);
  });

  it('skips no number if an operation drops out before midnight and others join after it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    let nowUs = 990;
    lane = ledgerOver(store, LANE_LIMITS, { candidateUs: () => nowUs, dayOf: (us) => (us < 1_000 ? 'day4' : 'day5') });
    const release = holdClock(1);
    const late = submitOne(lane, { ...creation('late'), waitedMs: 1 });
    const others = [submitOne(lane, creation('a'))];
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs - 1);
    await expect(late).rejects.toMatchObject({ status: 503 });
    nowUs = 1_100;
    others.push(...['b', 'c'].map((id) => submitOne(lane, creation(id))));
    release();
    expect((await Promise.all(others)).map(({ assetId }) => assetId)).toEqual(['day4-1', 'day5-1', 'day5-2']);
    nowUs = 990;
    expect((await submitOne(lane, creation('d'))).assetId).toBe('day5-3');
    expect(Object.fromEntries(store.numbers)).toEqual({ day4: 1, day5: 3 });
  });

  it('rolls back if all operations have passed their deadline', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const release = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs);
    await expect(first).rejects.toMatchObject({ status: 503 });
    release();
    await lane.idle();
    expect(store.log).toEqual(['begin 1', 'rollback 1']);
  });
});
