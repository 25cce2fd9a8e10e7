import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IndexedAsset } from '../database/search/indexed-asset.js';
import { SearchFile } from '../database/search/search-file.js';
import { SearchIndex } from '../database/search/search-index.js';
import { SearchReader } from '../database/search/search-reader.js';
import { RegistryTime } from '../time/registry-time.js';
import type { AssetSearch } from './asset-search.js';
import { type Counted, Statistics } from './statistics.js';

const time = new RegistryTime('Europe/Kyiv');
const folder = mkdtempSync(join(tmpdir(), 'statistics-'));
let file: SearchFile;
let index: SearchIndex;
let reader: SearchReader;
let statistics: Statistics;

beforeEach(() => {
  file = SearchFile.open(join(folder, 'index.sqlite'), 'one', 0);
  index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
  reader = new SearchReader(file.openReader());
  const read = (work: (...args: unknown[]) => Promise<unknown>): Promise<unknown> =>
    reader.inReadTransaction((position) => work(reader, position, true));
  statistics = new Statistics({ read } as unknown as AssetSearch, time);
});
afterEach(() => {
  jest.restoreAllMocks();
  reader.close();
  file.close();
  rmSync(folder, { recursive: true });
});

const us = (instant: string): number => time.parse(instant) as number;

function add(id: string, created: string, changed: string, more: Partial<IndexedAsset> = {}): void {
  const asset: IndexedAsset = {
    id,
    modifiedUs: us(changed),
    createdDay: time.day(us(created)),
    changedDay: time.day(us(changed)),
    status: 'pending',
    assetType: 'basic',
    regions: [],
    value: undefined,
    words: '',
    choices: 's:pending',
    erasedUs: 0,
    ...more,
  };
  expect(index.add(index.position(), [asset])).toBe(true);
}

async function countedAt(now: string): Promise<Counted> {
  jest.spyOn(Date, 'now').mockReturnValue(us(now) / 1_000);
  return (await statistics.read())?.counted as Counted;
}

describe('days and months', () => {
  it('are those of the time zone of the registry, each there, up to today', async () => {
    // In the night in which clocks go back, the day has 25 hours.
    add('1', '2026-10-24T20:59:59Z', '2026-10-25T21:59:59.999999Z');
    add('2', '2026-10-24T21:00:00Z', '2026-10-25T22:00:00Z');
    const { days, months } = await countedAt('2026-10-26T00:00:00+02:00');
    expect(days).toHaveLength(30);
    expect(days[0]).toEqual({ when: '2026-09-27', created: 0, changed: 0 });
    expect(days.slice(-3)).toEqual([
      { when: '2026-10-24', created: 1, changed: 0 },
      { when: '2026-10-25', created: 1, changed: 1 },
      { when: '2026-10-26', created: 0, changed: 1 },
    ]);
    expect(months).toHaveLength(24);
    expect(months[0]?.when).toBe('2024-11');
    expect(months.at(-1)).toEqual({ when: '2026-10', created: 2, changed: 2 });
  });

  it('end with that of the newest change, where the clock of this machine is behind it', async () => {
    add('1', '2026-11-21', '2026-11-22T00:00:01');
    expect((await countedAt('2026-11-21T23:59:59')).days.at(-1)).toEqual({
      when: '2026-11-22',
      created: 0,
      changed: 1,
    });
  });
});

it('sums are exact in decimals, and so when an asset goes into another currency', async () => {
  const value = (currency: string, amount: number): object => ({ value: { currency, amount } });
  add('1', '2026-11-20', '2026-11-20T01:00', value('UAH', 0.1));
  add('2', '2026-11-20', '2026-11-20T02:00', value('UAH', 0.2));
  expect((await countedAt('2026-11-21')).value).toEqual([{ currency: 'UAH', sum: '0.3', count: 2 }]);
  add('1', '2026-11-20', '2026-11-21T01:00', value('EUR', 1e15));
  expect((await countedAt('2026-11-21')).value).toEqual([
    { currency: 'EUR', sum: '1000000000000000.0', count: 1 },
    { currency: 'UAH', sum: '0.2', count: 1 },
  ]);
});

it('of many regions the most frequent are told', async () => {
  const regions = Array.from({ length: 501 }, (_, i) => ({ key: `k${i}`, name: `Край ${i}` }));
  add('1', '2026-11-20', '2026-11-20T01:00', { regions });
  add('2', '2026-11-20', '2026-11-20T02:00', { regions: regions.slice(-1) });
  const { region } = await countedAt('2026-11-21');
  expect(region).toHaveLength(500);
  expect(region[0]).toEqual(['Край 500', 2]);
});
