import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { printWorkbook, type Row } from './workbook.js';

const PAUSE_MS = 50;

it.each([1, 2, 20])('reads no rows any more after its reader has left, at chunk %i', async (chunks) => {
  let open = 0;
  async function* rows(): AsyncGenerator<Row[]> {
    open++;
    try {
      for (;;) yield await Promise.resolve([(at) => `<c r="${at(0)}"><v>${Math.random()}</v></c>`]);
    } finally {
      open--;
    }
  }
  const workbook = printWorkbook([{ name: 'Assets', headings: ['Id'], rows }]);
  for (let i = 0; i < chunks; i++) await workbook.next();
  await workbook.return(undefined);
  await sleep(PAUSE_MS);
  expect(open).toBe(0);
});

it('ends with the error of the rows', async () => {
  // oxlint-disable-next-line require-yield -- the error comes before the first rows
  async function* rows(): AsyncGenerator<Row[]> {
    await Promise.reject(new Error('the database is away'));
  }
  const read = async (): Promise<void> => {
    for await (const chunk of printWorkbook([{ name: 'Assets', headings: ['Id'], rows }])) expect(chunk).toBeDefined();
  };
  await expect(read()).rejects.toThrow('the database is away');
});
