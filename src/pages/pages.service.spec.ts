import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { PagesService } from './pages.service.js';
import type { Visit } from './visit.js';

const TOGETHER = 4;

afterEach(() => {
  jest.restoreAllMocks();
});

interface Asked {
  pagesInATurn: number;
  isGone?: () => boolean;
  /** What a reading waits for, by how many have begun. */
  ready?: (read: number) => Promise<void>;
}

/** How many assets are read in each turn of the event loop, where several people ask for pages of different ones at the same moment. */
async function readInTurns({
  pagesInATurn,
  isGone = () => false,
  ready = () => Promise.resolve(),
}: Asked): Promise<number[]> {
  let read = 0;
  const assets = {
    getListed: async () => {
      await ready(++read);
      throw new Error('none');
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
  while (!isOver) {
    const before = read;
    await turn();
    turns.push(read - before);
  }
  await all;
  return turns;
}

it('where a file is read within the turn, and that takes long, one page for people is read and shown in each', async () => {
  let nowMs = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  const turns = await readInTurns({ pagesInATurn: 1 });
  expect(Math.max(...turns)).toBe(1);
  expect(turns.filter((count) => count > 0)).toHaveLength(TOGETHER);
});

it('pages that wait for a server do not wait for each other', async () => {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const ready = (read: number): Promise<void> => {
    if (read === TOGETHER) answer();
    return answered;
  };
  const turns = await readInTurns({ pagesInATurn: Infinity, ready });
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(TOGETHER);
});

it('no asset is read for who has gone meanwhile', async () => {
  expect(new Set(await readInTurns({ pagesInATurn: 1, isGone: () => true }))).toEqual(new Set([0]));
});
