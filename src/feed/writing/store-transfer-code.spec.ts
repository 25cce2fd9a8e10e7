import { beforeEach, describe, expect, it } from '@jest/globals';
import { append, creation, decided, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { preconditionFailed } from '../../platform/errors/errors.js';
import { LANE_LIMITS, type Ledger } from './ledger.js';
import { DatabaseAwayError, OutcomeUnknownError, RetryableError } from './ledger-store.js';
import type { Operation } from './operation.js';

const CODE = { digest: 'c', expiresUs: 9_000 };
let store: MemoryStore;
let lane: Ledger;

/** Requests a code, and refuses if the asset does not exist. */
const asking = (id: string, differing: Partial<Operation> = {}): Operation => ({
  ids: [id],
  creates: false,
  author: { account: 'o', requestId: 'r' },
  bytes: 10,
  decide: (current) => {
    if (current === undefined) throw preconditionFailed();
    return undefined;
  },
  ...differing,
});

/** Transfers the asset if there is a code. */
const taking = (id: string, seen: (TransferCode | undefined)[] = []): Operation =>
  asking(id, {
    usesCode: true,
    decide: (current, { code }) => {
      seen.push(code);
      if (code === undefined) throw preconditionFailed();
      return { ...decided(id, (current as Asset).body), owner: 'p', changed: ['owner'] };
    },
  });

const failing = (step: string, times: number, error: Error): void => {
  let left = times;
  store.fault = (at) => {
    if (at === step && left-- > 0) throw error;
  };
};

beforeEach(async () => {
  store = new MemoryStore();
  lane = ledgerOver(store);
  await lane.submit(creation('a'));
});

describe('a transfer code', () => {
  it('is stored with an audit entry, and does not change its asset', async () => {
    const before = { ...store.rows.get('a') } as Asset;
    const { clockUs } = store;
    expect(await lane.storeTransferCode(asking('a'), CODE)).toEqual([before]);
    expect(store.codes).toEqual(new Map([['a', { id: 'a', ...CODE }]]));
    expect(store.rows.get('a')).toEqual(before);
    expect(store.clockUs).toBe(clockUs);
    expect(store.revisions).toEqual([]);
    expect(store.audit.at(-1)).toEqual({
      us: 1_000,
      subject: 'a',
      actor: 'o',
      action: 'transfer.code',
      requestId: 'r',
      detail: '{}',
    });
  });

  it('is retried if the database refused it', async () => {
    failing('code', 2, new RetryableError('locked'));
    await lane.storeTransferCode(asking('a'), CODE);
    expect(store.codes.size).toBe(1);
  });

  it.each([
    ['away', 'begin', new DatabaseAwayError('away')],
    ['not sure', 'commit', new OutcomeUnknownError('committed')],
    ['always busy', 'code', new RetryableError('locked')],
  ])('is 503 if the database is %s', async (_, step, error) => {
    failing(step, Infinity, error);
    await expect(lane.storeTransferCode(asking('a'), CODE)).rejects.toMatchObject({ status: 503 });
    store.fault = () => undefined;
    expect((await submitOne(lane, append('a', 'x'))).version).toBe(2);
  });

  it('is not stored for a client that has gone or has waited too long', async () => {
    let isGone = false;
    const waiter = { isGone: () => isGone, whenGone: () => undefined };
    const asked = lane.storeTransferCode(asking('a', { waiter }), CODE);
    isGone = true;
    await expect(asked).rejects.toMatchObject({ status: 503 });
    const { deadlineMs } = LANE_LIMITS;
    await expect(lane.storeTransferCode(asking('a', { waitedMs: deadlineMs }), CODE)).rejects.toMatchObject({
      status: 503,
    });
    const never = new Promise<void>(() => undefined);
    store.fault = () => never;
    const waits = lane.storeTransferCode(asking('a', { waitedMs: deadlineMs - 20 }), CODE);
    await expect(waits).rejects.toMatchObject({ status: 503 });
    expect(store.codes.size).toBe(0);
  });
});

describe('taking an asset over', () => {
  it.each(['committed', 'committed late', 'rolled back'])(
    'is done once if its COMMIT got no answer and was %s',
    async (message) => {
      await lane.storeTransferCode(asking('a'), CODE);
      failing('commit', 1, new OutcomeUnknownError(message));
      expect(await submitOne(lane, taking('a'))).toMatchObject({ owner: 'p', version: 2 });
      expect(store.rows.get('a')?.version).toBe(2);
      expect(store.codes.size).toBe(0);
    },
  );
});
