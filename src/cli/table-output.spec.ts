import { expect, it, jest } from '@jest/globals';
import { list } from './table-output.js';

/** What is written for these rows. */
function listed(rows: Record<string, unknown>[], json?: true): string[] {
  const log = jest.spyOn(console, 'log').mockReturnValue();
  list(rows, json === undefined ? {} : { json });
  const written = log.mock.calls.flatMap(([text]) => String(text).split('\n'));
  log.mockRestore();
  return written;
}

it('a table has headings, and columns as wide as what is in them', () => {
  const rows = [
    { name: 'a', count: 7, used: null },
    { name: 'longer', count: 100, used: '2026-11-23' },
  ];
  expect(listed(rows)).toEqual(['NAME    COUNT  USED', 'a           7  -', 'longer    100  2026-11-23']);
  expect(listed(rows, true)).toEqual(rows.map((row) => JSON.stringify(row)));
});

it('a table of nothing says so, and JSON lines are none', () => {
  expect(listed([])).toEqual(['None']);
  expect(listed([], true)).toEqual([]);
});

it('a table may have more rows than a call has arguments', () => {
  expect(listed(Array.from({ length: 200_000 }, (_, n) => ({ n })))).toHaveLength(200_001);
});
