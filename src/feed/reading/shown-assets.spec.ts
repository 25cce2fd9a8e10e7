import { setImmediate as settle } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { DurableWatermark } from '../watermarks.js';
import { ShownAssets } from './shown-assets.js';

const WRITTEN_BY_ANOTHER_PROCESS = { id: 'a', modifiedUs: 5 } as ReadAsset & Asset;
describe('if commits are visible before they are durable', () => {
  let endFlush: () => void;
  let stored: (ReadAsset & Asset) | undefined;
  let assets: ShownAssets;

  beforeEach(() => {
    const flush = (): Promise<void> => new Promise((resolve) => (endFlush = resolve));
    const find = (): Promise<typeof stored> => Promise.resolve(stored);
    const findFitting = async () => ({ assets: [await find()].filter((one) => one !== undefined), idsRead: 1 });
    const source = { find, findFitting, findRow: find, findListed: find, anyExists: () => Promise.resolve(true) };
    stored = WRITTEN_BY_ANOTHER_PROCESS;
    const durable = new DurableWatermark({ needsBarrier: () => true, timesLost: () => 0, flush });
    assets = new ShownAssets(source, durable, { assetIdPrefix: 'UA' });
  });

  it.each(['find', 'findRow', 'findListed'] as const)('%s shows an asset only once it is durable', async (name) => {
    let isAnswered = false;
    const answer = assets[name]('UA-2017-08-16-000001').finally(() => (isAnswered = true));
    await settle();
    expect(isAnswered).toBe(false);
    endFlush();
    expect(await answer).toBe(WRITTEN_BY_ANOTHER_PROCESS);
  });

  it('several assets are shown only once all are durable', async () => {
    let isAnswered = false;
    const answer = assets.findFitting(['a']).finally(() => (isAnswered = true));
    await settle();
    expect(isAnswered).toBe(false);
    endFlush();
    expect(await answer).toEqual({ assets: [WRITTEN_BY_ANOTHER_PROCESS], idsRead: 1 });
  });

  it('a missing asset is reported without waiting', async () => {
    stored = undefined;
    for (const name of ['find', 'findRow', 'findListed'] as const) expect(await assets[name]('a')).toBeUndefined();
    expect(await assets.findFitting(['a'])).toEqual({ assets: [], idsRead: 1 });
  });
});
