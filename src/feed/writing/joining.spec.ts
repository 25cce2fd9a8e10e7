import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { append, creation, ledgerOver, MemoryStore, type Step, submitOne } from '../../../test/support/memory-store.js';
import { LANE_LIMITS, type Ledger } from './ledger.js';

let store: MemoryStore;
let lane: Ledger;

/** The clock of a transaction is held by somebody else, until the test lets it go. */
function holdClock(transaction: number): () => void {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let isFirst = true;
  store.fault = (step, number) => {
    if (step !== 'clock' || number !== transaction || !isFirst) return undefined;
    isFirst = false;
    return held;
  };
  return letGo;
}

const logged = (step: Step | 'rollback' | 'lock free'): string[] => store.log.filter((line) => line.startsWith(step));

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});
afterEach(() => void jest.useRealTimers());

describe('a lane that waits for the clock', () => {
  it('writes what comes meanwhile in the same transaction', async () => {
    const letGo = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const others = ['b', 'c', 'd'].map((id) => submitOne(lane, creation(id)));
    await setImmediate();
    letGo();
    const made = await Promise.all([first, ...others]);
    expect(logged('commit')).toEqual(['commit 1']);
    expect(made.map(({ modifiedUs }) => modifiedUs)).toEqual([1_000, 1_001, 1_002, 1_003]);
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day5-2', 'day5-3', 'day5-4']);
    expect(store.audit).toHaveLength(4);
  });

  it('takes changes, too, on locked rows', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
    await lane.idle();
    const letGo = holdClock(2);
    const first = submitOne(lane, append('a', 'x'));
    await setImmediate();
    const others = [append('c', 'y'), append('b', 'z')].map((change) => submitOne(lane, change));
    letGo();
    const changed = await Promise.all([first, ...others]);
    expect(changed.map(({ body }) => body)).toEqual(['{}x', '{}y', '{}z']);
    expect(logged('lock free')).toEqual(['lock free a', 'lock free b c']);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    expect(store.revisions).toHaveLength(3);
  });

  it('leaves what changes the same assets, or would be too much', async () => {
    lane = ledgerOver(store, { ...LANE_LIMITS, batchCount: 2 });
    const letGo = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const others = [append('a', 'x'), creation('b'), creation('c')].map((operation) => submitOne(lane, operation));
    letGo();
    await Promise.all([first, ...others]);
    expect(logged('insert')).toEqual(['insert 2', 'insert 1']);
    expect(store.rows.get('a')?.body).toBe('{}x');
  });

  it('does not wait for an asset that another writer has, who may wait for the clock', async () => {
    await Promise.all(['a', 'b'].map((id) => submitOne(lane, creation(id))));
    await lane.idle();
    store.lockedByOthers.add('b');
    const letGo = holdClock(2);
    const first = submitOne(lane, append('a', 'x'));
    await setImmediate();
    const second = submitOne(lane, append('b', 'y'));
    letGo();
    await first;
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    store.lockedByOthers.clear();
    expect((await second).body).toBe('{}y');
  });

  it('leaves what has a receipt, which another writer may hold as well', async () => {
    const letGo = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const receipt = { id: 'r', bodyDigest: 'b', assetId: 'b', salt: 's' };
    const second = submitOne(lane, { ...creation('b'), receipt });
    letGo();
    await Promise.all([first, second]);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2']);
    expect(store.receipts.get('r')?.assetId).toBe('b');
  });

  it('leaves what needs a transfer code, as codes are not looked for there', async () => {
    await lane.submit(creation('a'));
    await lane.idle();
    store.codes.set('a', { id: 'a', digest: 'c', expiresUs: 1 });
    const letGo = holdClock(2);
    const first = lane.submit(creation('b'));
    await setImmediate();
    const second = lane.submit({ ...append('a', 'x'), usesCode: true });
    letGo();
    await Promise.all([first, second]);
    expect(logged('commit')).toEqual(['commit 1', 'commit 2', 'commit 3']);
    expect(store.codes.size).toBe(0);
  });

  it('does not write what has passed its deadline', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const letGo = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs - 1);
    const second = submitOne(lane, creation('b'));
    jest.advanceTimersByTime(1);
    await expect(first).rejects.toMatchObject({ status: 503 });
    letGo();
    expect((await second).assetId).toBe('day5-1');
    expect([...store.rows.keys()]).toEqual(['b']);
  });

  it('leaves no number out where one was over before midnight, and others joined after it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    let nowUs = 990;
    lane = ledgerOver(store, LANE_LIMITS, { candidateUs: () => nowUs, dayOf: (us) => (us < 1_000 ? 'day4' : 'day5') });
    const letGo = holdClock(1);
    const over = submitOne(lane, { ...creation('over'), waitedMs: 1 });
    const others = [submitOne(lane, creation('a'))];
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs - 1);
    await expect(over).rejects.toMatchObject({ status: 503 });
    nowUs = 1_100;
    others.push(...['b', 'c'].map((id) => submitOne(lane, creation(id))));
    letGo();
    expect((await Promise.all(others)).map(({ assetId }) => assetId)).toEqual(['day4-1', 'day5-1', 'day5-2']);
    nowUs = 990;
    expect((await submitOne(lane, creation('d'))).assetId).toBe('day5-3');
    expect(Object.fromEntries(store.numbers)).toEqual({ day4: 1, day5: 3 });
  });

  it('takes back everything when nobody is left', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const letGo = holdClock(1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    jest.advanceTimersByTime(LANE_LIMITS.deadlineMs);
    await expect(first).rejects.toMatchObject({ status: 503 });
    letGo();
    await lane.idle();
    expect(store.log).toEqual(['begin 1', 'rollback 1']);
  });
});
