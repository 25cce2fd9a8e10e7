import { beforeEach, describe, expect, it } from '@jest/globals';
import { creation, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import { LANE_LIMITS } from './ledger.js';
import type { Operation } from './operation.js';

describe('a lane that accounts share', () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
  });

  it('is filled by no account alone: another has its turn before what the first has waiting', async () => {
    const lane = ledgerOver(store, { ...LANE_LIMITS, batchCount: 1 });
    const by = (account: string, id: string): Operation => ({
      ...creation(id),
      author: { account, requestId: 'r' },
    });
    const answers = ['a', 'b', 'c'].map((id) => submitOne(lane, by('greedy', id)));
    const other = submitOne(lane, by('other', 'x'));
    await Promise.all([...answers, other]);
    expect([...store.rows.keys()]).toEqual(['a', 'x', 'b', 'c']);
  });
});
