import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadAsset } from '../../database/asset-row.js';
import { DurableClock } from '../known-clocks.js';
import { ShownAssets } from './shown-assets.js';

const WRITTEN_BY_ANOTHER_PROCESS = { id: 'a', modifiedUs: 5 } as ReadAsset;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('where a commit is visible before it is durable', () => {
  let endFlush: () => void;
  let stored: ReadAsset | undefined;
  let assets: ShownAssets;

  beforeEach(() => {
    const flush = (): Promise<void> => new Promise((resolve) => (endFlush = resolve));
    const find = (): Promise<ReadAsset | undefined> => Promise.resolve(stored);
    const source = { find, findListed: find, anyExists: () => Promise.resolve(true) };
    stored = WRITTEN_BY_ANOTHER_PROCESS;
    assets = new ShownAssets(source, new DurableClock({ needsBarrier: () => true, flush }));
  });

  it.each<['find' | 'findListed']>([['find'], ['findListed']])(
    '%s shows an asset when it is durable, and not before',
    async (name) => {
      let isAnswered = false;
      const answer = assets[name]('a').finally(() => (isAnswered = true));
      await turn();
      expect(isAnswered).toBe(false);
      endFlush();
      expect(await answer).toBe(WRITTEN_BY_ANOTHER_PROCESS);
    },
  );

  it('what is not there is told at once', async () => {
    stored = undefined;
    expect([await assets.find('a'), await assets.findListed('a')]).toEqual([undefined, undefined]);
  });
});
