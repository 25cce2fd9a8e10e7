import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { creation, MemoryStore } from '../../test/support/memory-store.js';
import { LANE_LIMITS, Ledger } from './ledger.js';
import { RetryableError } from './ledger-store.js';
import { SYSTEM_TIMING } from './timing.js';

let store: MemoryStore;
let lane: Ledger;
let commit: { release: () => void };

/** Lets everything happen that waits for nothing from outside. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

beforeEach(() => {
  store = new MemoryStore();
  const context = {
    store,
    timing: SYSTEM_TIMING,
    committed: () => undefined,
    retrying: () => undefined,
    candidateUs: () => 1_000,
    dayOf: () => 'day',
    assetIdOf: (day: string, number: number) => `${day}-${number}`,
  };
  lane = new Ledger(context, { ...LANE_LIMITS, queueCount: 1 });
  commit = { release: () => undefined };
  const held = new Promise<void>((resolve) => (commit.release = resolve));
  store.fault = (at, number) => (at === 'commit' && number === 1 ? held : undefined);
});

describe('an operation whose client has gone', () => {
  it('is never begun where it still waits, and makes room for another', async () => {
    const first = lane.submit(creation('a'));
    await turn();
    const gone = new AbortController();
    const waiting = lane.submit({ ...creation('b'), abandoned: gone.signal });
    const refused = expect(waiting).rejects.toMatchObject({ status: 503 });
    gone.abort();
    await refused;
    const next = lane.submit(creation('c'));
    commit.release();
    await Promise.all([first, next]);
    expect([...store.rows.keys()]).toEqual(['a', 'c']);
  });

  it('is finished where it has begun', async () => {
    const gone = new AbortController();
    const answered = jest.fn();
    const begun = lane.submit({ ...creation('a'), abandoned: gone.signal }).then(answered);
    await turn();
    gone.abort();
    await turn();
    expect(answered).not.toHaveBeenCalled();
    commit.release();
    await begun;
    expect([...store.rows.keys()]).toEqual(['a']);
  });

  it('is not taken when it has gone before', async () => {
    await expect(lane.submit({ ...creation('a'), abandoned: AbortSignal.abort() })).rejects.toMatchObject({
      status: 503,
    });
    expect(store.log).toEqual([]);
  });
});

describe('a batch that was not taken', () => {
  it('is not tried again where the database takes no writes any more', async () => {
    store.fault = () => {
      store.isAway = true;
      throw new RetryableError('full');
    };
    await expect(lane.submit(creation('a'))).rejects.toMatchObject({ status: 503 });
    expect(store.log).toEqual(['begin 1']);
  });
});
