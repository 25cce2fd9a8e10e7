import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING, indexQueryOf } from '../../search/search-query.js';
import type { IndexQuery } from './index-query.js';
import type { IndexedAsset } from './indexed-asset.js';
import { PLACES } from './parts.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import { SearchScan } from './search-scan.js';

const folder = mkdtempSync(join(tmpdir(), 'search-scan-'));

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

afterAll(() => rmSync(folder, { recursive: true }));

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

  it.each([2, 3, 5, 7, 36, 100])('are the first %i of them', async (limit) => {
    const query = { ...(indexQueryOf(EVERYTHING) as IndexQuery), words: '"w:some"', isByFacets: false };
    const hits = await new SearchScan(parts, query).hits('DESC', limit);
    expect(hits.map(({ id }) => id)).toEqual(expected.slice(0, limit));
  });
});
