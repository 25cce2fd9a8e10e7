import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { append, creation, decided, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import { until } from '../../../test/support/until.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { preconditionFailed } from '../../platform/errors/errors.js';
import { LANE_LIMITS, type LaneLimits, type Ledger } from './ledger.js';
import { OutcomeUnknownError } from './ledger-store.js';
import type { Operation } from './operation.js';

let store: MemoryStore;
let lane: Ledger;

const bodyOf = (id: string): string | undefined => store.rows.get(id)?.body;
const logged = (step: string): string[] => store.log.filter((line) => line.startsWith(step));
/** The attempts to lock `a`. */
const asked = (): string[] => logged('lock').filter((line) => line.includes(' a'));
/** Waits for that many attempts to lock `a`. */
const untilAsked = (times: number): Promise<void> => until(() => asked().length >= times);

function group(ids: readonly string[], letter: string): Operation {
  const decide: Operation['decide'] = (current) =>
    decided((current as Asset).id, `${(current as Asset).body}${letter}`);
  return { ...append('', letter), ids, decide };
}
/** Another session locks `a`, and waiting for it never succeeds. */
async function start(limits: Partial<LaneLimits> = {}): Promise<void> {
  store = new MemoryStore();
  lane = ledgerOver(store, { ...LANE_LIMITS, ...limits });
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => submitOne(lane, creation(id))));
  await lane.idle();
  store.log.splice(0);
  store.lockedByOthers.add('a');
}
const release = (): void => store.lockedByOthers.clear();

beforeEach(() => start());
afterEach(async () => {
  jest.useRealTimers();
  release();
  await lane.idle();
});

describe('an asset locked by another session', () => {
  it('does not delay the others of its batch, and is changed once it is unlocked', async () => {
    const blocked = submitOne(lane, append('a', 'x'));
    const others = ['b', 'c'].map((id) => submitOne(lane, append(id, 'y')));
    expect((await Promise.all(others)).map(({ body }) => body)).toEqual(['{}y', '{}y']);
    expect(logged('lock')[0]).toBe('lock free a b c');
    expect([logged('change'), logged('commit').length]).toEqual([['change 2'], 1]);
    release();
    expect((await blocked).body).toBe('{}x');
    expect(store.rows.get('a')?.version).toBe(2);
  });

  it('keeps the order of its changes', async () => {
    const [first, second] = [submitOne(lane, append('a', 'x')), lane.submit(group(['a', 'b'], 'y'))];
    const [third, fourth] = [lane.submit(group(['b', 'c'], 'z')), submitOne(lane, append('c', '!'))];
    await submitOne(lane, append('d', 'w'));
    await untilAsked(3);
    expect([bodyOf('b'), bodyOf('c')]).toEqual(['{}', '{}']);
    release();
    await Promise.all([first, second, third, fourth]);
    expect([bodyOf('a'), bodyOf('b'), bodyOf('c')]).toEqual(['{}xy', '{}yz', '{}z!']);
  });

  it('makes a retry wait for the assets that were free before, which another process locks only briefly', async () => {
    const blocked = lane.submit(group(['a', 'b'], 'x'));
    await untilAsked(2);
    release();
    await blocked;
    expect(logged('lock').slice(-2)).toEqual(['lock b', 'lock free a']);
  });

  it('is distinguished from a missing one and from a deleted one', async () => {
    const seen: unknown[] = [];
    const decide: Operation['decide'] = (current) => {
      seen.push(current);
      throw preconditionFailed();
    };
    const isRefused = (id: string): Promise<void> =>
      expect(lane.submit({ ...append(id, 'x'), decide })).rejects.toMatchObject({ status: 412 });
    const gone = isRefused('a');
    await isRefused('z');
    store.rows.delete('a');
    release();
    await gone;
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('a change of an asset locked by another session', () => {
  it.each([false, true])('whose COMMIT got no answer is made once, committed late: %s', async (isCommitted) => {
    release();
    const { clockUs } = store;
    store.fault = (step) => {
      if (step !== 'commit') return;
      store.fault = () => undefined;
      // The lane finds out the outcome, and then another session locks the asset.
      setImmediate(() => store.lockedByOthers.add('a'));
      throw new OutcomeUnknownError('rolled back');
    };
    const answered = submitOne(lane, append('a', 'x'));
    await untilAsked(4);
    const modifiedUs = clockUs + 1;
    if (isCommitted) store.rows.set('a', { ...(store.rows.get('a') as Asset), body: '{}x', version: 2, modifiedUs });
    release();
    expect((await answered).body).toBe('{}x');
    expect([bodyOf('a'), store.rows.get('a')?.version]).toEqual(['{}x', 2]);
  });

  it('whose COMMIT got no answer does not wait for the lock to find out the outcome', async () => {
    release();
    store.fault = (step) => {
      if (step !== 'commit') return;
      store.fault = () => undefined;
      // Another session has waited for the lock and gets it as soon as the transaction ends.
      store.lockedByOthers.add('a');
      throw new OutcomeUnknownError('committed');
    };
    expect((await submitOne(lane, append('a', 'x'))).body).toBe('{}x');
    expect(logged('lock clock')).toHaveLength(1);
  });
});

describe('a transfer code of an asset locked by another session', () => {
  it('does not delay others, and is stored once the asset is unlocked', async () => {
    const asking: Operation = { ...append('a', ''), decide: () => undefined };
    const stored = lane.storeTransferCode(asking, { digest: 'c', expiresUs: 9_000 });
    await untilAsked(2);
    expect((await submitOne(lane, append('b', 'y'))).body).toBe('{}y');
    await lane.noteTime();
    expect(store.codes.size).toBe(0);
    release();
    expect((await stored).map(({ id }) => id)).toEqual(['a']);
    expect(store.codes.get('a')?.digest).toBe('c');
  });
});
