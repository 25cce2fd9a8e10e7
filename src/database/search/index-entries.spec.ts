import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { TestIndex } from '../../../test/support/index-threads.js';
import { idOf, indexedAsset as entry } from '../../../test/support/indexed-asset.js';
import type { IndexedAsset } from './indexed-asset.js';

let index: TestIndex;

beforeEach(async () => {
  index = new TestIndex();
  await index.begin();
});
afterEach(() => index.end());

describe('a part of the feed', () => {
  it('is applied only at the position from which it was read', async () => {
    const before = await index.position();
    expect(await index.add([entry(1), entry(2)])).toBe(true);
    const to = { epoch: 'epoch', us: 3, fromUs: -1 };
    for (const from of [before, { ...to, us: 2, epoch: 'other' }, { ...to, us: 2, fromUs: 1 }])
      expect(await index.writer.ask({ add: { from, to, assets: [entry(3)] } })).toBe(false);
    expect(await index.writer.ask({ empty: { from: before, epoch: 'later' } })).toBe(false);
    expect(await index.position()).toEqual({ epoch: 'epoch', us: 2, fromUs: -1 });
  });

  it('replaces earlier entries of its assets', async () => {
    await index.add([entry(1, 'w:all w:old'), entry(2)]);
    await index.add([entry(1, 'w:all w:new', 3)]);
    expect(await index.ids({})).toEqual([1, 2]);
    expect(await index.ids({ words: '"w:old"' })).toEqual([]);
    expect(await index.ids({ words: '"w:new"' })).toEqual([1]);
  });

  it('may contain an asset twice, if it changed while the part was read', async () => {
    await index.add([entry(1, 'w:old', 1), entry(2, 'w:all', 2), entry(1, 'w:new', 3)]);
    expect(await index.ids({})).toEqual([1, 2]);
    expect(await index.ids({ words: '"w:old"' })).toEqual([]);
  });

  it('that is older does not replace newer entries', async () => {
    await index.add([entry(1, 'w:new', 9)], 9);
    await index.addOlder([entry(1, 'w:old', 1), entry(2)], -1);
    expect(await index.ids({})).toEqual([1, 2]);
    expect(await index.ids({ words: '"w:old"' })).toEqual([]);
  });
});

it('two threads write one file, each part once', async () => {
  const other = index.startWriter();
  const from = await index.position();
  const part = { from, to: { ...from, us: 1 }, assets: [entry(1)] };
  const isApplied = await Promise.all([index.writer, other].map((writer) => writer.ask({ add: part })));
  expect(new Set(isApplied)).toEqual(new Set([false, true]));
  expect(await index.ids({})).toEqual([1]);
  await other.end();
});

describe('a file', () => {
  it('of another version is emptied, and its earlier writer is refused', async () => {
    await index.add([entry(1)]);
    const from = await index.position();
    const two = index.startWriter('two');
    expect(await two.ask('position')).toEqual({ epoch: '', us: -1, fromUs: -1 });
    const rebuilt = 'A process with another version of the registry has rebuilt the index';
    await expect(index.position()).rejects.toThrow(rebuilt);
    await expect(index.writer.ask({ add: { from, to: from, assets: [] } })).rejects.toThrow(rebuilt);
    await two.end();
  });

  it('of the same version is used as it is', async () => {
    await index.add([entry(1)]);
    await index.writer.end();
    index.writer = index.startWriter();
    expect(await index.position()).toEqual({ epoch: 'epoch', us: 1, fromUs: -1 });
  });

  it('of another program is left alone', async () => {
    await index.writer.end();
    const other = new Sqlite(`${index.path}.other`);
    other.exec("CREATE TABLE state (version TEXT); INSERT INTO state VALUES ('mine')");
    other.close();
    const bytes = readFileSync(`${index.path}.other`);
    writeFileSync(index.path, bytes);
    index.writer = index.startWriter();
    await expect(index.position()).rejects.toThrow('The file is another SQLite database');
    expect(readFileSync(index.path).equals(bytes)).toBe(true);
  });
});

describe('an asset with an erased field', () => {
  const bytes = (): string => [index.path, `${index.path}-wal`].map((one) => readFileSync(one, 'latin1')).join('');
  const erased = (number: number, us: number, erasedUs = us): IndexedAsset => ({
    ...entry(number, 'w:all', us),
    erasedUs,
  });

  it('empties the index before anything is added, and purges the file', async () => {
    await index.add([entry(1, 'w:all w:kanareika'), entry(2)]);
    expect(bytes()).toContain('kanareika');
    expect(await index.add([erased(1, 3)])).toBe(false);
    expect(await index.position()).toEqual({ epoch: 'epoch', us: -1, fromUs: -1 });
    expect(bytes()).not.toContain('kanareika');
    expect(await index.add([entry(2), erased(1, 3)])).toBe(true);
    expect(await index.ids({})).toEqual([1, 2]);
  });

  it('purges the file later if another connection reads, and adds nothing before', async () => {
    await index.add([entry(1, 'w:all w:kanareika')]);
    const other = new Sqlite(index.path, { readonly: true });
    other.exec('BEGIN; SELECT * FROM state');
    expect(await index.add([erased(1, 3)])).toBe(false);
    await expect(index.position()).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    expect(bytes()).toContain('kanareika');
    other.close();
    await index.position();
    expect(bytes()).not.toContain('kanareika');
  });

  it('does not empty an index that never had the erased value', async () => {
    await index.add([erased(1, 2), entry(3, 'w:all', 4)]);
    expect(await index.add([erased(1, 5, 2)])).toBe(true);
    expect((await index.position()).us).toBe(5);
  });
});

describe('assets with amounts', () => {
  const priced = (number: number, amount: number, currency = 'UAH'): IndexedAsset => ({
    ...entry(number),
    value: { currency, amount },
  });

  it('have a sum that is exact in every digit, even beyond a double', async () => {
    const large = [123_456_789_012.345, 999_999_999_999.001, 99_999_999.9999999, 1e15, 0.000000001, 0.1, 0.2];
    await index.add(large.map((amount, i) => priced(i + 1, amount)));
    expect((await index.totals()).value).toEqual([{ currency: 'UAH', count: 7, sum: '1001123556789011.645999901' }]);
    await index.add([priced(1, 0, 'EUR'), priced(2, 5)].map((one, i) => ({ ...one, modifiedUs: 8 + i })));
    expect((await index.totals()).value).toEqual([
      { currency: 'EUR', count: 1, sum: '0.0' },
      { currency: 'UAH', count: 6, sum: '1000000100000005.299999901' },
    ]);
  });

  it.each([{ facets: { status: [], assetType: [], region: [] } }, { words: '"w:all"' }])(
    'have an exact median, over everything and over hits (%#)',
    async (query) => {
      const medianOf = async (...amounts: number[]): Promise<string | undefined> => {
        const from = (await index.position()).us;
        await index.add(amounts.map((amount, i) => ({ ...priced(i + 1, amount), modifiedUs: from + i + 1 })));
        return (await index.count(query)).value[0]?.median;
      };
      expect(await medianOf(7)).toBe('7.0');
      expect(await medianOf(1e15, 0.000000001)).toBe('500000000000000.0000000005');
      expect(await medianOf(0.1, 99_999_999.9999999, 0.2)).toBe('0.2');
      expect(await medianOf(0.1, 0.4, 0.1, 0.2)).toBe('0.15');
    },
  );

  it('are counted by days, states, types and regions after each change', async () => {
    await index.add([priced(1, 0.1), priced(2, 0.2), priced(3, 1, 'EUR')]);
    expect(await index.totals()).toMatchObject({ created: [[20261121, 3]], changed: [[20261122, 3]] });
    await index.add([{ ...priced(3, 1), modifiedUs: 4, status: 'active', regions: [] }]);
    const { total, status, region, value } = await index.totals();
    expect([total, status, region, value.map(({ currency }) => currency)]).toEqual([
      3,
      [
        ['pending', 2],
        ['active', 1],
      ],
      [['Київ', 2]],
      ['UAH'],
    ]);
  });
});

it('counts the most frequent regions, each under its most frequent spelling', async () => {
  const regions = Array.from({ length: 501 }, (_, i) => ({ key: `k${i}`, name: `Край ${i}` }));
  const last = (name: string): IndexedAsset['regions'] => [{ key: 'k500', name }];
  await index.add([
    { ...entry(1), regions },
    { ...entry(2), regions: last('КРАЙ 500') },
    { ...entry(3), regions: last('КРАЙ 500') },
  ]);
  const { region } = await index.totals();
  expect(region).toHaveLength(500);
  expect(region[0]).toEqual(['КРАЙ 500', 3]);
  expect((await index.find({}, { withFacets: true })).facets?.region[0]).toEqual(['КРАЙ 500', 3]);
});

it('removes facets without entries', async () => {
  await index.add([entry(1), entry(2)]);
  await index.add([{ ...entry(1, 'w:all', 3), status: 'active' }]);
  await index.add([{ ...entry(2, 'w:all', 4), status: 'active' }]);
  const file = new Sqlite(index.path, { readonly: true });
  expect(file.prepare('SELECT status FROM facet').pluck().all()).toEqual(['active']);
  expect(file.prepare('SELECT lower(hex(id)) FROM entry ORDER BY seq').pluck().all()).toEqual([idOf(1), idOf(2)]);
  file.close();
});
