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
import { checksumOf, WHOLE_EVERY } from '../../database/readers/body-delta.js';
import type { Ledger } from './ledger.js';
import { type DayNumbers } from './ledger-store.js';
import type { DatedChange, DraftedChange } from './drafted-change.js';
import { numberNewAssets, type TakenNumbers } from './written-rows.js';

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
});

describe('the numbers of new assets', () => {
  const NUMBERING = {
    clock: { dayOf: (us: number) => `day${Math.floor(us / 10)}` },
    assetIdOf: (day: string, number: number) => `${day}-${number}`,
  };
  const NEW = {} as DraftedChange;

  const at = (us: number): DatedChange => ({ ...NEW, us });
  const taken = (day: string, count: number, last: number): TakenNumbers => ({ day, count, last });

  /** The assetIDs of a batch, and the numbers that were taken and given back for it, beside those that it had asked for. */
  async function numbered(batch: readonly DatedChange[], ...had: TakenNumbers[]) {
    const told: (string | DayNumbers)[][] = [];
    const transaction = {
      takeNumbers: (numbers: DayNumbers) => Promise.resolve(told.push(['take', numbers]) && 100),
      returnNumbers: (numbers: DayNumbers) => Promise.resolve(void told.push(['return', numbers])),
    };
    const assetIds = await numberNewAssets(batch, had, transaction, NUMBERING);
    return { assetIds: Object.fromEntries(assetIds), told };
  }

  it('are of two days over midnight, and none is left out', async () => {
    expect(await numbered([at(18), at(19), at(20)], taken('day1', 3, 8))).toEqual({
      assetIds: { 0: 'day1-6', 1: 'day1-7', 2: 'day2-100' },
      told: [
        ['return', { day: 'day1', count: 1 }],
        ['take', { day: 'day2', count: 1 }],
      ],
    });
  });

  it('move up where some that they were taken for are not written any more', async () => {
    expect(await numbered([at(11), at(14)], taken('day1', 3, 6), taken('day1', 1, 7))).toEqual({
      assetIds: { 0: 'day1-4', 1: 'day1-5' },
      told: [['return', { day: 'day1', count: 2 }]],
    });
  });
});
