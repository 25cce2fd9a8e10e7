import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { append, creation, draft, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
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
/** How often rows were asked for with that of `a` among them. */
const asked = (): string[] => logged('lock').filter((line) => line.includes(' a'));
/** So often, which is found again and again while it is held. */
const untilAsked = (times: number): Promise<void> => until(() => asked().length >= times);

function group(ids: readonly string[], letter: string): Operation {
  const decide: Operation['decide'] = (current) => draft((current as Asset).id, `${(current as Asset).body}${letter}`);
  return { ...append('', letter), ids, decide };
}
/** Somebody holds `a`, and who is told to wait for it does so in vain. */
async function start(limits: Partial<LaneLimits> = {}): Promise<void> {
  store = new MemoryStore();
  lane = ledgerOver(store, { ...LANE_LIMITS, ...limits });
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => submitOne(lane, creation(id))));
  await lane.idle();
  store.log.splice(0);
  store.lockedByOthers.add('a');
}
const letGo = (): void => store.lockedByOthers.clear();

beforeEach(() => start());
afterEach(async () => {
  jest.useRealTimers();
  letGo();
  await lane.idle();
});

describe('an asset that somebody holds', () => {
  it('keeps nobody of its batch waiting, and is changed once it is let go', async () => {
    const held = submitOne(lane, append('a', 'x'));
    const others = ['b', 'c'].map((id) => submitOne(lane, append(id, 'y')));
    expect((await Promise.all(others)).map(({ body }) => body)).toEqual(['{}y', '{}y']);
    expect(logged('lock')[0]).toBe('lock free a b c');
    expect([logged('change'), logged('commit').length]).toEqual([['change 2'], 1]);
    letGo();
    expect((await held).body).toBe('{}x');
    expect(store.rows.get('a')?.version).toBe(2);
  });

  it('leaves the order of the changes of one asset', async () => {
    const [first, second] = [submitOne(lane, append('a', 'x')), lane.submit(group(['a', 'b'], 'y'))];
    const [third, fourth] = [lane.submit(group(['b', 'c'], 'z')), submitOne(lane, append('c', '!'))];
    await submitOne(lane, append('d', 'w'));
    await untilAsked(3);
    expect([bodyOf('b'), bodyOf('c')]).toEqual(['{}', '{}']);
    letGo();
    await Promise.all([first, second, third, fourth]);
    expect([bodyOf('a'), bodyOf('b'), bodyOf('c')]).toEqual(['{}xy', '{}yz', '{}z!']);
  });

  it('is waited for where it was free the last time: another process has it for a moment', async () => {
    const held = lane.submit(group(['a', 'b'], 'x'));
    await untilAsked(2);
    letGo();
    await held;
    expect(logged('lock').slice(-2)).toEqual(['lock b', 'lock free a']);
  });

  it('is told from one that is not there, and from one that is there no more', async () => {
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
    letGo();
    await gone;
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('a change of an asset that somebody holds', () => {
  it.each([false, true])('whose COMMIT got no answer before is made once, if it was kept late: %s', async (isKept) => {
    letGo();
    const { clockUs } = store;
    store.fault = (step) => {
      if (step !== 'commit') return;
      store.fault = () => undefined;
      // The lane looks what became of it, and then somebody takes the asset.
      setImmediate(() => store.lockedByOthers.add('a'));
      throw new OutcomeUnknownError('gone');
    };
    const answered = submitOne(lane, append('a', 'x'));
    await untilAsked(4);
    const modifiedUs = clockUs + 1;
    if (isKept) store.rows.set('a', { ...(store.rows.get('a') as Asset), body: '{}x', version: 2, modifiedUs });
    letGo();
    expect((await answered).body).toBe('{}x');
    expect([bodyOf('a'), store.rows.get('a')?.version]).toEqual(['{}x', 2]);
  });

  it('whose COMMIT got no answer keeps nobody waiting while it is looked up', async () => {
    letGo();
    store.fault = (step) => {
      if (step !== 'commit') return;
      store.fault = () => undefined;
      // Somebody has waited for it, and has it as soon as the transaction is over.
      store.lockedByOthers.add('a');
      throw new OutcomeUnknownError('kept');
    };
    expect((await submitOne(lane, append('a', 'x'))).body).toBe('{}x');
    expect(logged('lock clock')).toHaveLength(1);
  });
});

describe('a transfer code of an asset that somebody holds', () => {
  it('keeps nobody waiting, and is kept once the asset is let go', async () => {
    const asking: Operation = { ...append('a', ''), decide: () => undefined };
    const kept = lane.storeTransferCode(asking, { digest: 'c', expiresUs: 9_000 });
    await untilAsked(2);
    expect((await submitOne(lane, append('b', 'y'))).body).toBe('{}y');
    await lane.noteTime();
    expect(store.codes.size).toBe(0);
    letGo();
    expect((await kept).map(({ id }) => id)).toEqual(['a']);
    expect(store.codes.get('a')?.digest).toBe('c');
  });
});
