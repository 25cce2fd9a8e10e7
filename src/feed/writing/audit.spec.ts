import { beforeEach, describe, expect, it } from '@jest/globals';
import { creation, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import type { Ledger } from './ledger.js';
import { DatabaseAwayError, OutcomeUnknownError } from './ledger-store.js';

let store: MemoryStore;
let lane: Ledger;

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});

describe('the audit', () => {
  it('is written in the transaction of the change', async () => {
    store.fault = (step, number) => {
      if (step === 'commit' && number === 1) throw new OutcomeUnknownError('rolled back');
    };
    const asset = await submitOne(lane, creation('a'));
    expect(store.audit.map(({ us }) => us)).toEqual([asset.modifiedUs]);
  });
});

describe('the day on which a key was used', () => {
  it('is written in a separate transaction, between batches', async () => {
    await Promise.all([submitOne(lane, creation('a')), lane.markKeyUsed('key', 'day5')]);
    expect(store.usedDays).toEqual(new Map([['key', 'day5']]));
    expect(store.log.filter((line) => line.startsWith('commit'))).toHaveLength(2);
  });

  it('does not fail changes if it cannot be written', async () => {
    store.fault = (step, number) => {
      if (step === 'begin' && number === 2) throw new DatabaseAwayError('away');
    };
    const [created, marked] = await Promise.allSettled([
      submitOne(lane, creation('a')),
      lane.markKeyUsed('key', 'day5'),
    ]);
    expect([created.status, marked.status]).toEqual(['fulfilled', 'rejected']);
    expect((await submitOne(lane, creation('b'))).id).toBe('b');
  });
});
