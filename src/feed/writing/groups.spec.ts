import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  append,
  creation,
  decided,
  ledgerOver,
  MemoryStore,
  type Step,
  submitOne,
} from '../../../test/support/memory-store.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { preconditionFailed } from '../../platform/errors/errors.js';
import { LANE_LIMITS, type LaneLimits, type Ledger } from './ledger.js';
import type { Operation } from './operation.js';

let store: MemoryStore;
let lane: Ledger;

const logged = (step: Step | 'rollback'): string[] => store.log.filter((line) => line.startsWith(step));
const bodies = (): string[] => [...store.rows.values()].map(({ body }) => body);

/** Appends a letter to each asset. */
function group(ids: readonly string[], letter: string, others: Partial<Operation> = {}): Operation {
  return {
    ids,
    creates: false,
    author: { account: 'group', requestId: 'r' },
    bytes: 10,
    decide: (current) => decided((current as Asset).id, (current as Asset).body + letter),
    refuse: (refusals) => new ApiError(412, [...refusals.keys()].map((index) => ({ location: 'body', name: String(index), description: '' }))), // prettier-ignore
    ...others,
  };
}

/** Another session holds the lock of the clock during the next transaction, until the test releases it. */
function holdClock(): () => void {
  let release = (): void => undefined;
  const locked = new Promise<void>((resolve) => (release = resolve));
  let isFirst = true;
  store.fault = (step) => {
    if (step !== 'clock' || !isFirst) return undefined;
    isFirst = false;
    return locked;
  };
  return () => release();
}

async function start(limits: Partial<LaneLimits> = {}, ids = ['a', 'b', 'c', 'd']): Promise<void> {
  store = new MemoryStore();
  const first = ledgerOver(store);
  for (const id of ids) await submitOne(first, creation(id));
  await first.idle();
  store.log.splice(0);
  store.audit.splice(0);
  lane = ledgerOver(store, { ...LANE_LIMITS, ...limits });
}
beforeEach(() => start());
afterEach(() => void jest.useRealTimers());

describe('an operation on several assets', () => {
  it('is one transaction: instants in its order, locks in the order of ids, a revision and an audit row for each', async () => {
    const before = store.clockUs;
    const answer = await lane.submit(group(['c', 'a', 'b'], 'x'));
    expect(answer.map(({ id, body, modifiedUs }) => [id, body, modifiedUs - before])).toEqual([
      ['c', '{}x', 1],
      ['a', '{}x', 2],
      ['b', '{}x', 3],
    ]);
    expect(logged('lock')).toEqual(['lock free a b c']);
    expect(logged('commit')).toHaveLength(1);
    expect([store.revisions.length, store.audit.map(({ subject }) => subject)]).toEqual([3, ['c', 'a', 'b']]);
  });

  it('gives no instant to assets that it does not change, and returns them unchanged', async () => {
    const before = store.clockUs;
    const decide: Operation['decide'] = (current) =>
      current?.id === 'b' ? undefined : decided(String(current?.id), 'x');
    const answer = await lane.submit(group(['a', 'b', 'c'], '', { decide }));
    expect(answer.map(({ body }) => body)).toEqual(['x', '{}', 'x']);
    expect([answer[0]?.modifiedUs, answer[2]?.modifiedUs]).toEqual([before + 1, before + 2]);
    expect(store.clockUs).toBe(before + 2);
  });

  it('is refused as a whole, with the indexes of all refused assets', async () => {
    const decide: Operation['decide'] = (current, { index }) => {
      if (index !== 1) throw preconditionFailed();
      return decided(String(current?.id), 'x');
    };
    const refused = lane.submit(group(['a', 'b', 'c'], '', { decide }));
    const other = submitOne(lane, append('d', 'y'));
    await expect(refused).rejects.toMatchObject({ status: 412, faults: [{ name: '0' }, { name: '2' }] });
    await other;
    expect(bodies()).toEqual(['{}', '{}', '{}', '{}y']);
  });

  it('does not join a batch that has locked the clock', async () => {
    const release = holdClock();
    const first = submitOne(lane, append('a', 'x'));
    await setImmediate();
    const second = lane.submit(group(['b', 'c'], 'y'));
    release();
    await Promise.all([first, second]);
    expect(logged('commit')).toHaveLength(2);
    expect(bodies()).toEqual(['{}x', '{}y', '{}y', '{}']);
  });
});

describe('an operation on more assets than a batch has', () => {
  const ids = Array.from({ length: 150 }, (_, i) => `a${i}`.padEnd(4, '_'));
  beforeEach(() => start({}, ids));

  it('is one transaction, written in chunks', async () => {
    const answer = await lane.submit(group(ids, 'x'));
    expect(logged('change')).toEqual(['change 64', 'change 64', 'change 22']);
    expect(logged('commit')).toHaveLength(1);
    expect(answer.map(({ id }) => id)).toEqual(ids);
    expect(new Set(bodies())).toEqual(new Set(['{}x']));
  });

  it('yields to small operations as long as they arrive one after the other', async () => {
    let nowMs = 0;
    lane = ledgerOver(store, LANE_LIMITS, {}, { nowMs: () => nowMs });
    const order: string[] = [];
    const small = (): Promise<unknown> =>
      submitOne(lane, append(ids[0] as string, 'y')).then(() => order.push('small'));
    await small();
    const large = lane.submit(group(ids.slice(1), 'x')).then(() => order.push('large'));
    for (; nowMs < 1_000; nowMs += 99) await small();
    nowMs += 100;
    await large;
    expect(order).toEqual([...Array.from({ length: 12 }, () => 'small'), 'large']);
  });

  it('yields for two seconds at most', async () => {
    let nowMs = 0;
    const calls: (() => void)[] = [];
    lane = ledgerOver(store, LANE_LIMITS, {}, { nowMs: () => nowMs, after: (_, act) => (calls.push(act), () => undefined) }); // prettier-ignore
    await submitOne(lane, append(ids[0] as string, 'y'));
    let isOver = false;
    const large = lane.submit(group(ids.slice(1), 'x')).then(() => (isOver = true));
    for (; nowMs < 1_999; nowMs += 20) {
      await submitOne(lane, append(ids[0] as string, 'y'));
      expect(isOver).toBe(false);
    }
    nowMs = 2_000;
    await submitOne(lane, append(ids[0] as string, 'y'));
    await large;
  });
});
