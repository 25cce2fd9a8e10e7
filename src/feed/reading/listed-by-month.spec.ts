import { expect, it } from '@jest/globals';
import type { ChangeRange, MonthReader } from '../../database/readers/month-reader.js';
import { ListedByMonth } from './listed-by-month.js';

const us = (iso: string): number => Date.parse(iso) * 1_000;

/** Counts two assets in each month except February. @param counted receives each month that was counted */
function readerOf(counted: string[]): MonthReader {
  const reader: Pick<MonthReader, 'span' | 'count'> = {
    span: () => Promise.resolve({ firstUs: us('2025-12-31T23:59:59.999Z'), lastUs: us('2026-03-01T00:00:00Z') }),
    count: ({ fromUs, untilUs }: ChangeRange) => {
      const month = new Date(fromUs / 1_000).toISOString().slice(0, 7);
      counted.push(month);
      return Promise.resolve(month === '2026-02' ? { count: 0, lastUs: 0 } : { count: 2, lastUs: untilUs - 1 });
    },
  };
  return reader as MonthReader;
}

it('caches the counts of past months, and counts the last one each time', async () => {
  const counted: string[] = [];
  const listed = new ListedByMonth(readerOf(counted));
  const months = [
    { month: '2025-12', count: 2, lastUs: us('2026-01-01T00:00:00Z') - 1 },
    { month: '2026-01', count: 2, lastUs: us('2026-02-01T00:00:00Z') - 1 },
    { month: '2026-03', count: 2, lastUs: us('2026-04-01T00:00:00Z') - 1 },
  ];
  expect(await listed.months()).toEqual(months);
  expect(await listed.months()).toEqual(months);
  expect(counted).toEqual(['2025-12', '2026-01', '2026-02', '2026-03', '2026-03']);
});

it('counts once for concurrent callers, and again for a later one, which may know of a change', async () => {
  const counted: string[] = [];
  const listed = new ListedByMonth(readerOf(counted));
  const [first, , third] = await Promise.all([listed.months(), listed.months(), listed.months()]);
  expect(third).toEqual(first);
  expect(counted).toEqual(['2025-12', '2026-01', '2026-02', '2026-03', '2026-03']);
});
