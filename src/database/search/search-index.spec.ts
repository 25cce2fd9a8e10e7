import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { indexedAsset as entry } from '../../../test/support/indexed-asset.js';
import { isUnreadable } from '../dialects/error-code.js';
import type { IndexedAsset } from './indexed-asset.js';
import { IndexError } from './index-error.js';
import { PLACES } from './parts.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import type { IndexPageQuery, IndexQuery } from './index-query.js';
import { type Facet, MOST_COUNTED, SearchReader } from './search-reader.js';
import { printSum } from './tallies.js';

const folder = mkdtempSync(join(tmpdir(), 'search-index-'));
const path = join(folder, 'index.sqlite');
let file: SearchFile;
let readerFile: SearchFile;
let index: SearchIndex;
let reader: SearchReader;

beforeEach(() => {
  file = SearchFile.open(path, 'one', 0);
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

function add(assets: IndexedAsset[]): void {
  expect(index.add(index.position(), assets)).toBe(true);
}

type Asked = Partial<IndexQuery & Omit<IndexPageQuery, 'direction'>> & { newestFirst?: boolean };

const allOf = (facets: AsyncIterable<Facet>): Promise<Facet[]> => Readable.from(facets).toArray();

const everything: IndexQuery = {
  words: '"w:all"',
  choices: [],
  facets: { status: [], assetType: [], region: [] },
  isByFacets: false,
  currency: undefined,
  currencyTerm: undefined,
  from: undefined,
  to: undefined,
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
};

async function ids({ newestFirst = true, isByAmount = false, after, limit = 10, ...query }: Asked): Promise<number[]> {
  const wanted = { ...everything, ...query };
  const page = { isByAmount, direction: newestFirst ? ('DESC' as const) : ('ASC' as const), after, limit };
  return reader.inReadTransaction(async () => {
    const hits = await reader.hits(wanted, page, await reader.count(wanted));
    return hits.map(({ id }) => Number(id));
  });
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
    const other = SearchFile.open(path, 'one', 0);
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
    expect(await ids({ words: '"w:old"' })).toEqual([]);
    expect(await ids({ words: '"w:new"' })).toEqual([1]);
    expect(reader.regions(10)).toEqual([{ key: 'київ', name: 'Київ', entries: 2 }]);
  });
});

it('a file of another version is emptied, one of the same is not', () => {
  add([entry(1)]);
  SearchFile.open(path, 'one', 0).close();
  expect(index.position().us).toBe(1);
  const two = SearchFile.open(path, 'two', 0);
  expect(new SearchIndex(two).position()).toEqual({ epoch: '', us: -1 });
  two.close();
  expect(tables()).toEqual([]);
});

describe('the disk', () => {
  const stateIn = (from: SearchFile): unknown => from.values('SELECT boot FROM state')[0];
  const waitsForIt = (): boolean => file.values('PRAGMA synchronous')[0] !== 0;
  const reopened = (): number => {
    file.close();
    file = SearchFile.open(path, 'one', 0);
    index = new SearchIndex(file);
    return index.position().us;
  };
  const settledBy = (other: SearchFile): void => {
    other.close();
    expect(stateIn(file)).toBe('');
  };
  const atAnotherStartOfTheMachine = (): void => {
    // As the process has been killed: nobody has settled the file.
    const copy = `${path}.copy`;
    for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
    const other = new Sqlite(copy);
    other.exec("UPDATE state SET boot = 'another' WHERE boot <> ''");
    other.close();
    file.close();
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    renameSync(copy, path);
    file = SearchFile.open(path, 'one', 0);
    index = new SearchIndex(file);
  };

  it('is not waited for where the system says when the machine was started, and the file is not lost with the process', () => {
    add([entry(1)]);
    expect(waitsForIt()).toBe(!existsSync('/proc/sys/kernel/random/boot_id'));
    expect(reopened()).toBe(1);
  });

  it('may lack something after another start of the machine: the file is emptied', () => {
    add([entry(1)]);
    file.run("UPDATE state SET boot = 'this'");
    atAnotherStartOfTheMachine();
    expect(index.position()).toEqual({ epoch: '', us: -1 });
    index.begin(index.position(), 'epoch');
    add([entry(1)]);
  });

  it('has all of a file that was closed in order', () => {
    add([entry(1)]);
    settledBy(SearchFile.open(path, 'one', 0));
    atAnotherStartOfTheMachine();
    expect(index.position().us).toBe(1);
  });

  it('is not said to have all while another process reads an earlier state', () => {
    add([entry(1)]);
    readerFile.begin();
    readerFile.rows('SELECT * FROM state');
    add([entry(2)]);
    const before = stateIn(file);
    SearchFile.open(path, 'one', 0).close();
    expect(stateIn(file)).toBe(before);
    readerFile.end();
  });
});

describe('a file that is damaged', () => {
  it('is told as such where what is damaged is a full-text table', () => {
    add([entry(1)]);
    file.close();
    const damaged = new Sqlite(path).unsafeMode();
    damaged.exec("UPDATE words_0_config SET v = 0 WHERE k = 'version'");
    damaged.close();
    let damage: unknown;
    try {
      SearchFile.open(path, 'another', 0);
    } catch (error) {
      damage = error;
    }
    expect(damage).toBeInstanceOf(IndexError);
    expect(isUnreadable(damage)).toBe(true);
    rmSync(path);
    file = SearchFile.open(path, 'one', 0);
  });
});

it('who has been taken over by another version writes nothing any more', () => {
  const from = index.position();
  const newer = SearchFile.open(path, 'two', 0);
  const theirs = new SearchIndex(newer);
  theirs.begin(theirs.position(), 'epoch');
  expect(() => index.position()).toThrow('Another version of the registry has taken it over');
  expect(() => index.add(from, [entry(1)])).toThrow(IndexError);
  expect(() => index.begin({ epoch: '', us: -1 }, 'other')).toThrow(IndexError);
  expect(theirs.position()).toEqual({ epoch: 'epoch', us: -1 });
  newer.close();
});

describe('what has an amount', () => {
  const priced = (number: number, amount: number, currency = 'UAH'): IndexedAsset => ({
    ...entry(number, number % 2 === 0 ? 'w:all w:even' : 'w:all'),
    value: { currency, amount },
    choices: `s:pending v:${currency}`,
  });
  const inUah = { currency: 'UAH', currencyTerm: 'v:UAH' };

  it('is found between bounds, which may be inside or outside', async () => {
    add([priced(1, 5), priced(2, 0.1), priced(3, 5, 'EUR'), priced(4, 7)]);
    const bound = (amount: number, isInside: boolean) => ({ amount, isInside });
    expect(await ids({ ...inUah, from: bound(5, true) })).toEqual([4, 1]);
    expect(await ids({ ...inUah, from: bound(5, false) })).toEqual([4]);
    expect(await ids({ ...inUah, to: bound(5, true) })).toEqual([2, 1]);
    expect(await ids({ ...inUah, from: bound(0.1, true), to: bound(5, false) })).toEqual([2]);
    expect(await ids({ ...inUah, from: bound(8, true) })).toEqual([]);
  });

  it.each([20, MOST_COUNTED + 1_000])('comes in the order of amounts, page by page, among %d', async (count) => {
    const amounts = Array.from({ length: count }, (_, i) => (i * 7919) % 1_009);
    for (let first = 0; first < count; first += 3_000)
      add(amounts.slice(first, first + 3_000).map((amount, i) => priced(first + i + 1, amount)));
    const order = amounts
      .map((amount, i) => ({ amount, us: i + 1 }))
      .toSorted((a, b) => a.amount - b.amount || a.us - b.us);
    for (const newestFirst of [false, true]) {
      const wanted = newestFirst ? order.toReversed() : order;
      const query = { ...inUah, isByAmount: true, newestFirst, limit: 7 };
      expect(await ids(query)).toEqual(wanted.slice(0, 7).map(({ us }) => us));
      const at = Math.floor(count / 2);
      expect(await ids({ ...query, after: wanted[at] })).toEqual(wanted.slice(at + 1, at + 8).map(({ us }) => us));
      const even = wanted.filter(({ us, amount }) => us % 2 === 0 && amount >= 3 && amount < 900);
      const bounds = { from: { amount: 3, isInside: true }, to: { amount: 900, isInside: false } };
      expect(await ids({ ...query, ...bounds, words: '"w:even"' })).toEqual(even.slice(0, 7).map(({ us }) => us));
    }
  });

  it('has a sum that is exact in every digit, also where a double is none', () => {
    const large = [123_456_789_012.345, 999_999_999_999.001, 99_999_999.9999999, 1e15, 0.000000001, 0.1, 0.2];
    add(large.map((amount, i) => priced(i + 1, amount)));
    const sumOf = (): string => printSum(BigInt(reader.tallies('value')[0]?.sum ?? 0));
    expect(sumOf()).toBe('1001123556789011.645999901');
    add([priced(1, 0, 'EUR'), priced(2, 5)].map((asset, i) => ({ ...asset, modifiedUs: large.length + i + 1 })));
    expect(reader.tallies('value').map(({ key, sum }) => [key, printSum(BigInt(sum))])).toEqual([
      ['EUR', '0.0'],
      ['UAH', '1000000100000005.299999901'],
    ]);
  });

  it('is counted by currency with its exact sum, by days, states, types and regions, as it comes and goes', () => {
    add([priced(1, 0.1), priced(2, 0.2), priced(3, 1e15, 'EUR')]);
    const [euro, hryvnia] = reader.tallies('value');
    expect(euro && [euro.key, euro.entries, printSum(BigInt(euro.sum))]).toEqual(['EUR', 1, '1000000000000000.0']);
    expect(hryvnia && [hryvnia.key, hryvnia.entries, printSum(BigInt(hryvnia.sum))]).toEqual(['UAH', 2, '0.3']);
    expect(reader.tallies('created')).toEqual([{ key: '2026-11-21', entries: 3, sum: '0' }]);
    add([{ ...priced(3, 1), modifiedUs: 4, status: 'active', regions: [] }]);
    expect(reader.tallies('value').map(({ key }) => key)).toEqual(['UAH']);
    expect(reader.choices('')).toEqual([
      { status: 'active', type: 'basic', entries: 1 },
      { status: 'pending', type: 'basic', entries: 2 },
    ]);
    expect(reader.choices('київ')).toEqual([{ status: 'pending', type: 'basic', entries: 2 }]);
  });
});

it('hits are counted up to a bound, and looked at for what may be chosen among them', async () => {
  add([entry(1), { ...entry(2), status: 'active' }, { ...entry(3), regions: [] }]);
  await reader.inReadTransaction(async () => {
    expect(await reader.count(everything)).toBe(3);
    expect(await reader.count({ ...everything, afterUs: 1 })).toBe(2);
    expect(await allOf(reader.facets(everything, 3))).toEqual([
      { status: 'pending', type: 'basic', regions: '[]', n: 1 },
      { status: 'active', type: 'basic', regions: '["київ"]', n: 1 },
      { status: 'pending', type: 'basic', regions: '["київ"]', n: 1 },
    ]);
  });
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
  const [count, page, border] = [12_000, 3_000, 11_000];
  /** The first places are the last ones of a part. */
  const fill = (part: number, tokens: (number: number) => string, later = 0): void => {
    file.run('UPDATE state SET next_seq = ?', (part + 1) * PLACES - border);
    for (let first = 1; first <= count; first += page)
      add(
        Array.from({ length: page }, (_, i) => {
          const value = { currency: 'UAH', amount: first + i };
          return { ...entry(first + i, tokens(first + i), later + first + i), value };
        }),
      );
  };
  fill(0, (number) => `w:all ${number === 100 || number === count ? 'w:rare' : 'w:most'}`);
  expect(tables()).toEqual(['words_0', 'words_1']);
  expect(await ids({ limit: 3 })).toEqual([count, count - 1, count - 2]);
  expect(await ids({ words: '"w:rare"' })).toEqual([count, 100]);
  expect(await ids({ words: '"w:rare"', newestFirst: false })).toEqual([100, count]);
  expect(await ids({ words: '"w:rare"', beforeUs: count })).toEqual([100]);
  expect(await ids({ words: '"w:rare"', afterUs: 100 })).toEqual([count]);
  expect(await ids({ words: '"w:rare" AND "w:most"' })).toEqual([]);
  expect(await ids({ beforeUs: border + 5 })).toEqual(Array.from({ length: 10 }, (_, i) => border + 4 - i));
  const bound = (amount: number) => ({ amount, isInside: true });
  // Many amounts lie between the bounds, and then few.
  for (const words of [everything.words, undefined]) {
    const inUah = { words, currency: 'UAH', limit: 2 };
    expect(await ids({ ...inUah, from: bound(3) })).toEqual([count, count - 1]);
    expect(await ids({ ...inUah, from: bound(3), newestFirst: false })).toEqual([3, 4]);
    expect(await ids({ ...inUah, to: bound(border + 2), afterUs: 1 })).toEqual([border + 2, border + 1]);
    expect(await ids({ ...inUah, to: bound(9) })).toEqual([9, 8]);
    expect(await ids({ ...inUah, from: bound(border - 1), newestFirst: false, limit: 4 })).toEqual([
      border - 1,
      border,
      border + 1,
      border + 2,
    ]);
    expect(await ids({ ...inUah, from: bound(3), isByAmount: true, newestFirst: false })).toEqual([3, 4]);
    expect(await ids({ ...inUah, from: bound(9), to: bound(12), isByAmount: true })).toEqual([12, 11]);
    await reader.inReadTransaction(async () => {
      const counted = (from: number): Promise<number> =>
        reader.count({ ...everything, words, currency: 'UAH', from: bound(from) });
      expect([await counted(3), await counted(count - 1_000)]).toEqual([MOST_COUNTED + 1, 1_001]);
    });
  }
  fill(1, () => 'w:all w:again', count);
  expect(tables()).toEqual(['words_1', 'words_2']);
  expect(await ids({ limit: 2 })).toEqual([count, count - 1]);
  expect(await ids({ words: '"w:rare"' })).toEqual([]);
  // A full part becomes one segment, some pages with each transaction.
  for (let i = 1; i <= 30; i++) add([entry(i, 'w:all', 3 * count + i)]);
  const segments = (part: string) => file.values<number>(`SELECT COUNT(DISTINCT segid) FROM ${part}_idx`)[0];
  expect(segments('words_1')).toBe(1);
});

it('nothing is scanned or sorted, but for facets, which are read where they are few', async () => {
  add([entry(1), entry(2)]);
  const asked = (['rows', 'values'] as const).map((method) => jest.spyOn(SearchFile.prototype, method));
  for (const words of [undefined, '"w:all" AND ("w:all" OR "c:1")'])
    for (const newestFirst of [true, false])
      for (const isByAmount of [true, false])
        for (const from of [undefined, { amount: 1, isInside: true }])
          await ids({ words, newestFirst, afterUs: 0, beforeUs: 5, from, currency: 'UAH', isByAmount });
  reader.regions(10);
  await allOf(reader.facets(everything, 2));
  await allOf(reader.facets({ ...everything, words: undefined }, 2));
  const statements = asked.flatMap(({ mock }) => mock.calls).filter(([sql]) => !sql.includes('FROM state'));
  jest.restoreAllMocks();
  expect(statements.length).toBeGreaterThan(30);
  for (const [sql, ...values] of statements) {
    const plan = readerFile.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    for (const { detail } of plan)
      expect(detail).toMatch(
        /^(?:SEARCH .* USING |SCAN words_0 VIRTUAL TABLE INDEX \d+:M1|SCAN json_each VIRTUAL TABLE|SCAN region USING INDEX region_entries|SCAN facet$|CO-ROUTINE|LIST SUBQUERY|CREATE BLOOM FILTER|SCAN \(subquery)/,
      );
  }
});
