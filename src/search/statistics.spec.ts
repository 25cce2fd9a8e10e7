import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TestIndex } from '../../test/support/index-threads.js';
import { indexedAsset } from '../../test/support/indexed-asset.js';
import type { AtPosition, ReaderRequest } from '../database/search/index-answers.js';
import type { IndexedAsset } from '../database/search/indexed-asset.js';
import type { Caller } from '../http/caller.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { AssetSearch } from './asset-search.js';
import { EVERYTHING } from './search-query.js';
import { type SearchStatistics, Statistics } from './statistics.js';
import { ownerToken } from './tokens.js';

const time = new RegistryTime('Europe/Kyiv');
let index: TestIndex;
let statistics: Statistics;
const chargeWork = jest.fn<Caller['chargeWork']>();

beforeEach(async () => {
  index = new TestIndex();
  await index.begin();
  const read = async (asked: ReaderRequest): Promise<unknown> => {
    const { value, us } = await index.reader.ask<AtPosition<unknown>>(asked);
    return { value, indexedUs: us, isComplete: true };
  };
  statistics = new Statistics({ read } as unknown as AssetSearch, time);
});
afterEach(async () => {
  jest.restoreAllMocks();
  chargeWork.mockClear();
  await index.end();
});

const us = (instant: string): number => time.parse(instant) as number;

async function add(number: number, created: string, changed: string, more: Partial<IndexedAsset> = {}): Promise<void> {
  const days = { createdDay: time.day(us(created)), changedDay: time.day(us(changed)) };
  expect(await index.add([{ ...indexedAsset(number, '', us(changed)), ...days, ...more }])).toBe(true);
}

async function countedAt(now: string, query = EVERYTHING): Promise<SearchStatistics> {
  jest.spyOn(Date, 'now').mockReturnValue(us(now) / 1_000);
  return (await statistics.read(query, { isGone: () => false, chargeWork })) as SearchStatistics;
}

describe('days and months', () => {
  it('follow the time zone of the registry, without gaps up to today', async () => {
    // Clocks go back in this night, so the day has 25 hours.
    await add(1, '2026-10-24T20:59:59Z', '2026-10-25T21:59:59.999999Z');
    await add(2, '2026-10-24T21:00:00Z', '2026-10-25T22:00:00Z');
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
    expect(months.at(-1)).toEqual({ when: '2026-10', created: 2, changed: 2, value: [] });
  });

  it("end with that of the newest change if this machine's clock is behind it", async () => {
    await add(1, '2026-11-21', '2026-11-22T00:00:01');
    expect((await countedAt('2026-11-21T23:59:59')).days.at(-1)).toEqual({
      when: '2026-11-22',
      created: 0,
      changed: 1,
    });
  });

  it.each([EVERYTHING, { ...EVERYTHING, owner: 'broker' }])(
    'a month has the amounts of assets last changed in it (%#)',
    async (query) => {
      const priced = (amount: number, currency = 'UAH') => ({
        value: { currency, amount },
        terms: ownerToken('broker'),
      });
      await add(1, '2026-08-01', '2026-09-30T23:59:59+03:00', priced(0.1));
      await add(2, '2026-08-01', '2026-10-01T00:00:00+03:00', priced(0.2));
      await add(3, '2026-08-01', '2026-10-31', priced(0.7));
      await add(4, '2026-08-01', '2026-10-31T10:00:00', priced(5, 'EUR'));
      const { months } = await countedAt('2026-10-31T11:00:00', query);
      expect(months.slice(-3).map(({ value }) => value)).toMatchObject([
        [],
        [{ currency: 'UAH', sum: '0.1', count: 1 }],
        [
          { currency: 'EUR', sum: '5.0', count: 1 },
          { currency: 'UAH', sum: '0.9', count: 2 },
        ],
      ]);
    },
  );
});

it('counted hits are charged to the client, and again only after a change', async () => {
  const ofOne = { ...EVERYTHING, owner: 'broker' };
  await add(1, '2026-11-21', '2026-11-21', { terms: ownerToken('broker') });
  for (const query of [ofOne, ofOne, EVERYTHING]) await countedAt('2026-11-21', query);
  await add(2, '2026-11-21', '2026-11-22', { terms: ownerToken('broker') });
  expect((await countedAt('2026-11-22', ofOne)).total).toBe(2);
  expect(chargeWork.mock.calls).toEqual([[50], [0], [0], [100]]);
});
