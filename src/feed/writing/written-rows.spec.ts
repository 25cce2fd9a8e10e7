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
import { checksumOf, WHOLE_EVERY } from '../../database/kept-body.js';
import type { Ledger } from './ledger.js';
import { OutcomeUnknownError } from './ledger-store.js';

let store: MemoryStore;
let lane: Ledger;

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});

describe('a revision', () => {
  it('is what an asset was until a change, with the names of what the change changed', async () => {
    const created = await submitOne(lane, creation('a'));
    const changed = await submitOne(lane, append('a', 'x'));
    expect(store.revisions).toEqual([
      {
        untilUs: changed.modifiedUs,
        asset: 'a',
        version: 1,
        modifiedUs: created.modifiedUs,
        status: 's',
        relatedLot: null,
        owner: 'o',
        body: '',
        sameStart: 2,
        sameEnd: 0,
        checksum: checksumOf('{}'),
        listed: 1,
        changed: '["title"]',
      },
    ]);
  });

  it('has what the next body has not, and at some versions all', async () => {
    await submitOne(lane, creation('a'));
    for (let version = 2; version <= WHOLE_EVERY + 2; version++)
      await submitOne(
        lane,
        edit('a', () => draft('a', `{${version}}`)),
      );
    const kept = store.revisions.slice(-3).map(({ body, sameStart, sameEnd }) => [body, sameStart, sameEnd]);
    expect(kept).toEqual([
      ['7', 1, 1],
      ['{8}', 0, 0],
      ['9', 1, 1],
    ]);
  });

  it('is left by no creation, and by no change of nothing', async () => {
    await submitOne(lane, creation('a'));
    await submitOne(
      lane,
      edit('a', () => undefined),
    );
    expect(store.revisions).toEqual([]);
  });

  it('of a draft says that nobody was to see it', async () => {
    await submitOne(lane, { ...creation('a'), decide: () => ({ ...draft('a'), listed: false }) });
    await submitOne(lane, append('a', 'x'));
    expect(store.revisions.map(({ listed }) => listed)).toEqual([0]);
  });

  it('is left by each change, also of those that share a batch', async () => {
    await Promise.all(['a', 'b'].map((id) => submitOne(lane, creation(id))));
    const changed = await Promise.all(['a', 'b', 'a'].map((id) => submitOne(lane, append(id, 'x'))));
    const ended = store.revisions.map(({ untilUs, asset }) => ({ modifiedUs: untilUs, id: asset }));
    expect(ended).toEqual(expect.arrayContaining(changed.map(({ modifiedUs, id }) => ({ modifiedUs, id }))));
    expect(ended).toHaveLength(3);
  });

  it('is kept with the change or not at all', async () => {
    await submitOne(lane, creation('a'));
    store.fault = (step, number) => {
      if (step === 'commit' && number === 2) throw new OutcomeUnknownError('gone');
    };
    const changed = await submitOne(lane, append('a', 'x'));
    expect(store.revisions.map(({ untilUs }) => untilUs)).toEqual([changed.modifiedUs]);
  });
});
