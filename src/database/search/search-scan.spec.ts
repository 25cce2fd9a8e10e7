import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EVERYTHING, indexQueryOf } from '../../search/search-query.js';
import type { IndexQuery } from './index-query.js';
import type { IndexedAsset } from './indexed-asset.js';
import { PLACES } from './parts.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import { SearchReader } from './search-reader.js';
import { SearchScan } from './search-scan.js';

const COUNT = 5_000;
const MOST_ROWS = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'search-scan-'));
let file: SearchFile;

const indexed = (number: number, words: string): IndexedAsset => ({
  id: String(number),
  modifiedUs: number + 1,
  createdDay: '2026-11-26',
  changedDay: '2026-11-26',
  status: number % 3 === 0 ? 'active' : 'pending',
  assetType: 'basic',
  regions: [],
  value: undefined,
  words,
  choices: words,
  erasedUs: 0,
});

beforeAll(() => {
  file = SearchFile.open(join(folder, 'index.sqlite'), 'one', 0);
  const index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
  const entry = (_: unknown, i: number): IndexedAsset => indexed(i, i % 3 === 0 ? 'w:all w:third' : 'w:all');
  index.add(index.position(), Array.from({ length: COUNT }, entry));
});
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

it.each(['ASC', 'DESC'] as const)(
  'what lies behind the first page is counted, and the page is not read again',
  async (direction) => {
    const everything = indexQueryOf(EVERYTHING) as IndexQuery;
    const reader = new SearchReader(file);
    for (const query of [{}, { afterUs: 5 }, { beforeUs: 4_000 }, { choices: [['w:all']] }]) {
      const wanted = { ...everything, words: '"w:third"', isByFacets: false, ...query };
      const page = { isByAmount: false, direction, after: undefined, limit: 7 };
      const first = await reader.hits(wanted, page, Infinity);
      const read = jest.spyOn(file, 'rows');
      const count = await reader.count(wanted, { hits: first, direction });
      const [, , from, to] = read.mock.calls.find(([sql]) => sql.includes('COUNT')) ?? [];
      read.mockRestore();
      expect(count).toBe(await reader.count(wanted));
      const places = first.map(({ modifiedUs }) => modifiedUs);
      expect(direction === 'DESC' ? Number(to) < Math.min(...places) : Number(from) > Math.max(...places)).toBe(true);
    }
  },
);

it('the facets of many hits are counted some rows at a time', async () => {
  const read = jest.spyOn(file, 'rows');
  const everything = indexQueryOf(EVERYTHING) as IndexQuery;
  const counts = await new SearchScan(file, { ...everything, words: '"w:all"' }).facets(COUNT - 1);
  const limits = read.mock.calls.filter(([sql]) => sql.includes('facet')).map((call) => call.at(-1));
  expect(limits).toEqual([MOST_ROWS, MOST_ROWS, COUNT - 1 - 2 * MOST_ROWS]);
  read.mockRestore();
  expect([...counts.values()].toSorted((a, b) => a - b)).toEqual([1_666, 3_333]);
});

describe('the newest hits of several parts', () => {
  /** How many hits each part has, the oldest first. */
  const PARTS = [30, 1, 2, 0, 3];
  const other = join(folder, 'parts.sqlite');
  let parts: SearchFile;
  const expected: string[] = [];

  beforeAll(() => {
    parts = SearchFile.open(other, 'one', 0);
    const index = new SearchIndex(parts);
    index.begin(index.position(), 'epoch');
    let us = 0;
    for (const [part, count] of PARTS.entries()) {
      parts.run('UPDATE state SET next_seq = ?', part * PLACES + 7);
      const words = Array.from({ length: count + 1 }, (_, i) => (i < count ? 'w:some' : 'w:other'));
      index.add(
        index.position(),
        words.map((word) => indexed(us++, word)),
      );
    }
    for (const id of parts.values<string>("SELECT id FROM detail WHERE choices = ' w:some ' ORDER BY seq DESC"))
      expected.push(id);
  });
  afterAll(() => {
    parts.close();
  });

  it.each([2, 3, 5, 6, 7, 20, 36, 100])('are the first %i of them', async (limit) => {
    const query = { ...(indexQueryOf(EVERYTHING) as IndexQuery), words: '"w:some"', isByFacets: false };
    const read = jest.spyOn(parts, 'rows');
    const hits = await new SearchScan(parts, query).hits('DESC', limit);
    const fromTheOldest = read.mock.calls.filter(([sql]) => sql.includes('rowid ASC')).length;
    read.mockRestore();
    expect(hits.map(({ id }) => id)).toEqual(expected.slice(0, limit));
    // Behind a part with a tenth of what was wanted FTS5 is asked from the beginning, which takes half the time.
    expect(fromTheOldest > 0).toBe(limit > 3);
  });
});
