import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IndexedAsset } from './indexed-asset.js';
import { IndexError, SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import { type IndexRange, SearchReader } from './search-reader.js';

const folder = mkdtempSync(join(tmpdir(), 'search-index-'));
const path = join(folder, 'index.sqlite');
let file: SearchFile;
let readerFile: SearchFile;
let index: SearchIndex;
let reader: SearchReader;

beforeEach(() => {
  file = SearchFile.open(path, 'one');
  index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
  readerFile = file.openReader();
  reader = new SearchReader(readerFile);
});
afterEach(() => {
  jest.restoreAllMocks();
  reader.close();
  file.close();
  rmSync(folder, { recursive: true });
});

const entry = (number: number, tokens = 'w:all', us = number): IndexedAsset => ({
  id: String(number),
  modifiedUs: us,
  tokens,
  regions: [{ key: 'київ', name: 'Київ' }],
});

function add(assets: IndexedAsset[]): void {
  expect(index.add(index.position(), assets)).toBe(true);
}

async function ids(range: Partial<IndexRange>): Promise<number[]> {
  const all = { match: '"w:all"', afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true, limit: 10 };
  return (await reader.find({ ...all, ...range })).hits.map(({ id }) => Number(id));
}

const tables = (): string[] =>
  file
    .rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name")
    .map(({ name }) => name);

describe('a page of the feed', () => {
  it('is taken in at the position where it was read, and at no other', () => {
    const before = index.position();
    add([entry(1), entry(2)]);
    expect(index.position()).toEqual({ epoch: 'epoch', us: 2 });
    expect(index.add(before, [entry(3)])).toBe(false);
    expect(index.add({ epoch: 'other', us: 2 }, [entry(3)])).toBe(false);
    expect(index.begin(before, 'later')).toBe(false);
    expect(index.position()).toEqual({ epoch: 'epoch', us: 2 });
  });

  it('is not taken in while another process writes', () => {
    const other = SearchFile.open(path, 'one');
    other.run('BEGIN IMMEDIATE');
    expect(index.add(index.position(), [entry(1)])).toBe(false);
    other.run('COMMIT');
    other.close();
    add([entry(1)]);
  });

  it('takes the place of what was known of its assets', async () => {
    add([entry(1, 'w:all w:old'), entry(2)]);
    add([entry(1, 'w:all w:new', 3)]);
    expect(await ids({})).toEqual([1, 2]);
    expect(await ids({ match: '"w:old"' })).toEqual([]);
    expect(await ids({ match: '"w:new"' })).toEqual([1]);
    expect(reader.regions(10)).toEqual(['Київ']);
  });
});

it('a file of another version is emptied, one of the same is not', () => {
  add([entry(1)]);
  SearchFile.open(path, 'one').close();
  expect(index.position().us).toBe(1);
  const two = SearchFile.open(path, 'two');
  expect(new SearchIndex(two).position()).toEqual({ epoch: '', us: -1 });
  two.close();
  expect(tables()).toEqual([]);
});

it('who has been taken over by another version writes nothing any more', () => {
  const from = index.position();
  const newer = SearchFile.open(path, 'two');
  const theirs = new SearchIndex(newer);
  theirs.begin(theirs.position(), 'epoch');
  expect(() => index.position()).toThrow('Another version of the registry has taken it over');
  expect(() => index.add(from, [entry(1)])).toThrow(IndexError);
  expect(() => index.begin({ epoch: '', us: -1 }, 'other')).toThrow(IndexError);
  expect(theirs.position()).toEqual({ epoch: 'epoch', us: -1 });
  newer.close();
});

it('of regions that begin alike a thousand are compared, the most frequent of them come first', () => {
  const regions = Array.from({ length: 1_001 }, (_, i) => ({ key: `край${1_000 + i}`, name: 'Край' }));
  add([
    { ...entry(1), regions },
    { ...entry(2), regions: regions.slice(500, 501) },
    { ...entry(3), regions: regions.slice(1_000) },
  ]);
  expect(reader.regionsLike('край', 2)).toEqual(['край1500', 'край1000']);
});

it('another history empties it', async () => {
  add([entry(1)]);
  expect(index.begin(index.position(), 'other')).toBe(true);
  expect(index.position()).toEqual({ epoch: 'other', us: -1 });
  expect(await ids({})).toEqual([]);
  expect(reader.regions(10)).toEqual([]);
  add([entry(5)]);
  expect(await ids({})).toEqual([5]);
});

it('there is a part for so many places: a page goes on in the next one, and a part that has lost all of its entries goes', async () => {
  const [count, page] = [66_000, 3_000];
  const fill = (tokens: (number: number) => string, later = 0): void => {
    for (let first = 1; first <= count; first += page)
      add(Array.from({ length: page }, (_, i) => entry(first + i, tokens(first + i), later + first + i)));
  };
  fill((number) => `w:all ${number === 100 || number === count ? 'w:rare' : 'w:most'}`);
  expect(tables()).toEqual(['words_0', 'words_1']);
  expect(await ids({ limit: 3 })).toEqual([count, count - 1, count - 2]);
  expect(await ids({ match: '"w:rare"' })).toEqual([count, 100]);
  expect(await ids({ match: '"w:rare"', newestFirst: false })).toEqual([100, count]);
  expect(await ids({ match: '"w:rare"', beforeUs: count })).toEqual([100]);
  expect(await ids({ match: '"w:rare"', afterUs: 100 })).toEqual([count]);
  expect(await ids({ match: '"w:rare" AND "w:most"' })).toEqual([]);
  expect(await ids({ beforeUs: 65_541 })).toEqual(Array.from({ length: 10 }, (_, i) => 65_540 - i));
  fill(() => 'w:all w:again', count);
  expect(tables()).toEqual(['words_1', 'words_2']);
  expect(await ids({ limit: 2 })).toEqual([count, count - 1]);
  expect(await ids({ match: '"w:rare"' })).toEqual([]);
});

it('nothing is scanned or sorted', async () => {
  add([entry(1), entry(2)]);
  const asked = jest.spyOn(SearchFile.prototype, 'rows');
  for (const match of [undefined, '"w:all" AND ("w:all" OR "c:1")'])
    for (const newestFirst of [true, false]) await ids({ match, newestFirst, afterUs: 0, beforeUs: 5 });
  reader.regions(10);
  const statements = asked.mock.calls.filter(([sql]) => !sql.includes('FROM state'));
  jest.restoreAllMocks();
  expect(statements.length).toBeGreaterThan(8);
  for (const [sql, ...values] of statements) {
    const plan = readerFile.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    for (const { detail } of plan)
      expect(detail).toMatch(
        /^(?:SEARCH .* USING |SCAN words_0 VIRTUAL TABLE INDEX \d+:M1|SCAN region USING INDEX region_entries)/,
      );
  }
});
