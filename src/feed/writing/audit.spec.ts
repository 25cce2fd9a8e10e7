import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  append,
  creation,
  draft,
  edit,
  ledgerOver,
  MemoryStore,
  submitOne,
} from '../../../test/support/memory-store.js';
import type { Ledger } from './ledger.js';
import { DatabaseAwayError, OutcomeUnknownError } from './ledger-store.js';

let store: MemoryStore;
let lane: Ledger;

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});

describe('the audit', () => {
  it('has a line for each change, of its instant, and none for a change of nothing', async () => {
    const created = await submitOne(lane, creation('a'));
    const changed = await submitOne(lane, append('a', 'x'));
    await submitOne(
      lane,
      edit('a', () => undefined),
    );
    const common = { subject: 'a', actor: 'o', requestId: 'r' };
    expect(store.audit).toEqual([
      { ...common, us: created.modifiedUs, action: 'asset.create', detail: '{"assetID":"day5-1","status":"s"}' },
      { ...common, us: changed.modifiedUs, action: 'asset.change', detail: '{"fields":["title"]}' },
    ]);
  });

  it('tells a move with both ends', async () => {
    await submitOne(lane, creation('a'));
    await submitOne(
      lane,
      edit('a', (current) => ({ ...draft('a', current.body), status: 't' })),
    );
    expect(store.audit.at(-1)?.detail).toBe('{"fields":["title"],"from":"s","to":"t"}');
  });

  it('is kept with the change or not at all', async () => {
    store.fault = (step, number) => {
      if (step === 'commit' && number === 1) throw new OutcomeUnknownError('gone');
    };
    const asset = await submitOne(lane, creation('a'));
    expect(store.audit.map(({ us }) => us)).toEqual([asset.modifiedUs]);
  });
});

describe('a key that was used', () => {
  it('is marked in a transaction of its own, in turn', async () => {
    await Promise.all([submitOne(lane, creation('a')), lane.markKeyUsed('key', 'day5')]);
    expect(store.usedDays).toEqual(new Map([['key', 'day5']]));
    expect(store.log.filter((line) => line.startsWith('commit'))).toHaveLength(2);
  });

  it('fails alone', async () => {
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
