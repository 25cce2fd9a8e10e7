import { expect, it, jest } from '@jest/globals';
import { list } from './table-output.js';

/** @returns the printed lines */
function printed(rows: Record<string, unknown>[], json?: true): string[] {
  const log = jest.spyOn(console, 'log').mockReturnValue();
  list(rows, json === undefined ? {} : { json });
  const lines = log.mock.calls.flatMap(([text]) => String(text).split('\n'));
  log.mockRestore();
  return lines;
}

it('a table has headings, and columns as wide as their cells', () => {
  const rows = [
    { name: 'a', count: 7, used: null },
    { name: 'longer', count: 100, used: '2026-11-23' },
  ];
  expect(printed(rows)).toEqual(['NAME    COUNT  USED', 'a           7  -', 'longer    100  2026-11-23']);
  expect(printed(rows, true)).toEqual(rows.map((row) => JSON.stringify(row)));
});

it('without rows a table says None, and JSON is empty', () => {
  expect(printed([])).toEqual(['None']);
  expect(printed([], true)).toEqual([]);
});

it('a table may have more rows than a call has arguments', () => {
  expect(printed(Array.from({ length: 200_000 }, (_, n) => ({ n })))).toHaveLength(200_001);
});
