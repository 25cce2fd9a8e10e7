import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { EVERYTHING, indexQueryOf } from '../../search/search-query.js';
import type { IndexQuery } from './index-query.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import { SearchReader } from './search-reader.js';
import { SearchScan } from './search-scan.js';

const COUNT = 5_000;
const MOST_ROWS = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'search-scan-'));
let file: SearchFile;

beforeAll(() => {
  file = SearchFile.open(join(folder, 'index.sqlite'), 'one', 0);
  const index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
  const entry = (_: unknown, i: number) => ({
    id: String(i),
    modifiedUs: i + 1,
    createdDay: '2026-11-26',
    changedDay: '2026-11-26',
    status: i % 3 === 0 ? 'active' : 'pending',
    assetType: 'basic',
    regions: [],
    value: undefined,
    words: i % 3 === 0 ? 'w:all w:third' : 'w:all',
    choices: '',
    erasedUs: 0,
  });
  index.add(index.position(), Array.from({ length: COUNT }, entry));
});
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true });
});

it.each([true, false])(
  'what lies behind the first page is counted, and the page is not read again',
  async (isDescending) => {
    const everything = indexQueryOf(EVERYTHING) as IndexQuery;
    const reader = new SearchReader(file);
    for (const query of [{}, { afterUs: 5 }, { beforeUs: 4_000 }, { choices: [['w:all']] }]) {
      const wanted = { ...everything, words: '"w:third"', isByFacets: false, ...query };
      const page = { isByAmount: false, isDescending, after: undefined, limit: 7 };
      const first = await reader.hits(wanted, page, Infinity);
      const read = jest.spyOn(file, 'rows');
      const count = await reader.count(wanted, isDescending, first);
      const [, , from, to] = read.mock.calls.find(([sql]) => sql.includes('COUNT')) ?? [];
      read.mockRestore();
      expect(count).toBe(await reader.count(wanted));
      const places = first.map(({ modifiedUs }) => modifiedUs);
      expect(isDescending ? Number(to) < Math.min(...places) : Number(from) > Math.max(...places)).toBe(true);
    }
  },
);

it('the facets of many hits are counted some rows at a time', async () => {
  const read = (['rows', 'values'] as const).map((method) => jest.spyOn(file, method));
  const everything = indexQueryOf(EVERYTHING) as IndexQuery;
  const counts = await new SearchScan(file, { ...everything, words: '"w:all"' }).facets(COUNT - 1);
  const sizes = read.flatMap(({ mock }) => mock.results).map(({ value }) => (value as unknown[]).length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_ROWS);
  expect([...counts.values()].toSorted((a, b) => a - b)).toEqual([1_666, 3_333]);
});
