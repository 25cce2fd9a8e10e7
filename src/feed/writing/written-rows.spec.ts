import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  append,
  creation,
  decided,
  edit,
  ledgerOver,
  MemoryStore,
  submitOne,
} from '../../../test/support/memory-store.js';
import { checksumOf, FULL_BODY_INTERVAL } from '../../database/readers/body-delta.js';
import type { Ledger } from './ledger.js';
import { type DayNumbers } from './ledger-store.js';
import type { DatedChange, DecidedChange } from './decided-change.js';
import { numberNewAssets, type NumberRange } from './written-rows.js';

let store: MemoryStore;
let lane: Ledger;

beforeEach(() => {
  store = new MemoryStore();
  lane = ledgerOver(store);
});

describe('a revision', () => {
  it('is the asset before a change, with the names of the changed fields', async () => {
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

  it('stores the difference from the next body, and at some versions the whole body', async () => {
    await submitOne(lane, creation('a'));
    for (let version = 2; version <= FULL_BODY_INTERVAL + 2; version++)
      await submitOne(
        lane,
        edit('a', () => decided('a', `{${version}}`)),
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
  const NEW = {} as DecidedChange;

  const at = (us: number): DatedChange => ({ ...NEW, us });
  const range = (day: string, count: number, last: number): NumberRange => ({ day, count, last });

  /** The assetIDs of a batch, and the numbers that it took and returned in addition to the reserved ones. */
  async function numbered(batch: readonly DatedChange[], ...reserved: NumberRange[]) {
    const calls: (string | DayNumbers)[][] = [];
    const transaction = {
      takeNumbers: (numbers: DayNumbers) => Promise.resolve(calls.push(['take', numbers]) && 100),
      returnNumbers: (numbers: DayNumbers) => Promise.resolve(void calls.push(['return', numbers])),
    };
    const assetIds = await numberNewAssets(batch, reserved, transaction, NUMBERING);
    return { assetIds: Object.fromEntries(assetIds), calls };
  }

  it('are of two days across midnight, without a gap', async () => {
    expect(await numbered([at(18), at(19), at(20)], range('day1', 3, 8))).toEqual({
      assetIds: { 0: 'day1-6', 1: 'day1-7', 2: 'day2-100' },
      calls: [
        ['return', { day: 'day1', count: 1 }],
        ['take', { day: 'day2', count: 1 }],
      ],
    });
  });

  it('have no gap if some operations drop out', async () => {
    expect(await numbered([at(11), at(14)], range('day1', 3, 6), range('day1', 1, 7))).toEqual({
      assetIds: { 0: 'day1-4', 1: 'day1-5' },
      calls: [['return', { day: 'day1', count: 2 }]],
    });
  });
});
