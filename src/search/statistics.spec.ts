import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TestIndex } from '../../test/support/index-threads.js';
import { indexedAsset } from '../../test/support/indexed-asset.js';
import type { OfMoment, ReaderAsked } from '../database/search/index-answers.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { AssetSearch } from './asset-search.js';
import { type Counted, Statistics } from './statistics.js';

const time = new RegistryTime('Europe/Kyiv');
let index: TestIndex;
let statistics: Statistics;

beforeEach(async () => {
  index = new TestIndex();
  await index.begin();
  const read = async (asked: ReaderAsked): Promise<unknown> => {
    const { value, us } = await index.reader.ask<OfMoment<unknown>>(asked);
    return { value, indexedUs: us, isComplete: true };
  };
  statistics = new Statistics({ read } as unknown as AssetSearch, time);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await index.end();
});

const us = (instant: string): number => time.parse(instant) as number;

async function add(number: number, created: string, changed: string): Promise<void> {
  const days = { createdDay: time.day(us(created)), changedDay: time.day(us(changed)) };
  expect(await index.add([{ ...indexedAsset(number, '', us(changed)), ...days }])).toBe(true);
}

async function countedAt(now: string): Promise<Counted> {
  jest.spyOn(Date, 'now').mockReturnValue(us(now) / 1_000);
  return (await statistics.read()) as Counted;
}

describe('days and months', () => {
  it('are those of the time zone of the registry, each there, up to today', async () => {
    // In the night in which clocks go back, the day has 25 hours.
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
    expect(months.at(-1)).toEqual({ when: '2026-10', created: 2, changed: 2 });
  });

  it('end with that of the newest change, where the clock of this machine is behind it', async () => {
    await add(1, '2026-11-21', '2026-11-22T00:00:01');
    expect((await countedAt('2026-11-21T23:59:59')).days.at(-1)).toEqual({
      when: '2026-11-22',
      created: 0,
      changed: 1,
    });
  });
});
