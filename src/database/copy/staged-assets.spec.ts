import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Asset } from '../entities/asset.entity.js';
import { StagedAssets } from './staged-assets.js';

const ASSETS = 300;
const LARGE = 200_000;
/** In characters; the first read cannot know the size of the assets. */
const MAX_LENGTH = { written: 5_000_000, read: 100 * LARGE, readLater: 5_000_000 };

let staged: StagedAssets;
beforeEach(async () => {
  staged = await StagedAssets.create();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await staged.remove();
});

function assetOf(number: number): Asset {
  const id = number.toString(16).padStart(32, '0');
  const us = 1_700_000_000_000_000 + number;
  return {
    id,
    assetId: `UA-2026-11-30-${String(number).padStart(6, '0')}`,
    assetType: 'basic',
    status: 'pending',
    owner: 'broker',
    tokenDigest: id,
    relatedLot: null,
    body: JSON.stringify({ title: 'x'.repeat(LARGE) }),
    version: 1,
    createdUs: us,
    modifiedUs: us,
    feedUs: us,
  };
}

it('holds only some large assets in memory', async () => {
  const { session } = staged.database;
  const lengthOf = (rows: unknown): number => JSON.stringify(rows).length;
  const [written, read]: [number[], number[]] = [[], []];
  const [insertRows, query] = [session.insertRows.bind(session), session.query.bind(session)];
  jest.spyOn(session, 'insertRows').mockImplementation((target, rows, more) => {
    written.push(lengthOf(rows));
    return insertRows(target, rows, more);
  });
  jest.spyOn(session, 'query').mockImplementation(async (sql, values) => {
    const rows = await query(sql, values);
    if (sql.includes('FROM staged_state')) read.push(lengthOf(rows));
    return rows as never;
  });
  for (let number = 1; number <= ASSETS; number++) await staged.add(assetOf(number), number);
  expect(written.length).toBeGreaterThan(1);
  expect(Math.max(...written)).toBeLessThan(MAX_LENGTH.written);
  expect(
    await staged.arrange([], () => {
      throw new Error('no asset has two states');
    }),
  ).toEqual([]);
  expect(read[0]).toBeLessThan(1.1 * MAX_LENGTH.read);
  expect(Math.max(...read.slice(1))).toBeLessThan(MAX_LENGTH.readLater);
  const [row] = await session.query<{ n: number }>('SELECT COUNT(*) AS n FROM asset');
  expect(row?.n).toBe(ASSETS);
});
