import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { PagesService } from './pages.service.js';
import type { Visit } from './visit.js';

const TOGETHER = 4;

/** How many assets are read in each turn of the event loop, where several people ask for pages of different ones at the same moment. */
async function readInTurns(pagesInATurn: number, isGone = (): boolean => false): Promise<number[]> {
  let read = 0;
  const assets = {
    getListed: () => {
      read++;
      // A first page may take long, on a machine that has much else to do.
      for (const until = performance.now() + 5; read === 1 && performance.now() < until;);
      return Promise.reject(new Error('none'));
    },
  };
  const none = {} as never;
  const types = { installed: [] } as never;
  const database = { dialect: { pagesInATurn } } as never;
  const pages = new PagesService(none, none, none, assets as never, none, types, none, none, none, none, database);
  const asked = Array.from({ length: TOGETHER }, (_, i) =>
    pages.asset({ name: `UA-${i}`, atUs: undefined }, {} as Visit, { isGone, worked: () => undefined }),
  );
  let isOver = false;
  const all = Promise.allSettled(asked).then(() => (isOver = true));
  const turns: number[] = [];
  // After a long piece there are some for others.
  while (!isOver) {
    const before = read;
    await turn();
    turns.push(read - before);
  }
  await all;
  return turns;
}

it('where a file is read within the turn, one page for people is read and shown in each', async () => {
  const turns = await readInTurns(1);
  expect(Math.max(...turns)).toBe(1);
  expect(turns.filter((count) => count > 0)).toHaveLength(TOGETHER);
});

it('pages that wait for a server do not wait for each other', async () => {
  expect(Math.max(...(await readInTurns(Infinity)))).toBe(TOGETHER);
});

it('no asset is read for who has gone meanwhile', async () => {
  expect(new Set(await readInTurns(1, () => true))).toEqual(new Set([0]));
});
