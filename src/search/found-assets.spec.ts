import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ReadAsset } from '../database/asset-row.js';
import { PAGE_BYTES } from '../database/fitting-rows.js';
import type { IndexHit } from '../database/search/index-query.js';
import { assetNotFound } from '../errors/errors.js';
import type { AssetHistory } from '../feed/reading/asset-history.js';
import type { ShownAssets } from '../feed/reading/shown-assets.js';
import { FoundAssets } from './found-assets.js';

const hitsOf = (count: number): IndexHit[] => Array.from({ length: count }, (_, i) => ({ id: `${i}`, modifiedUs: i }));

/** As it is now; only the length of the body counts. */
const assetOf = (id: string, bytes = 10, modifiedUs = Number(id)): ReadAsset =>
  ({ id, modifiedUs, body: { length: bytes } }) as ReadAsset;

describe('what a search has found', () => {
  const findFitting = jest.fn<ShownAssets['findFitting']>();
  const at = jest.fn<AssetHistory['at']>();
  const found = new FoundAssets({ findFitting } as unknown as ShownAssets, { at } as unknown as AssetHistory);
  const ids = async (hits: readonly IndexHit[]): Promise<string[]> => (await found.read(hits)).map(({ hit }) => hit.id);
  const idsOf = (hits: readonly IndexHit[]): string[] => hits.map(({ id }) => id);

  beforeEach(() => {
    jest.resetAllMocks();
    findFitting.mockImplementation((some) =>
      Promise.resolve({ assets: some.map((id) => assetOf(id)), ofFirst: some.length }),
    );
  });

  const counts = (): number[] => findFitting.mock.calls.map(([some]) => some.length);

  it('is read by two statements where it is a page as most are', async () => {
    expect(await ids(hitsOf(100))).toEqual(idsOf(hitsOf(100)));
    expect(counts()).toEqual([10, 90]);
  });

  it('is read a hundred at a time where it is small, and else a few at a time', async () => {
    expect(await ids(hitsOf(201))).toEqual(idsOf(hitsOf(201)));
    findFitting.mockImplementation((some) =>
      Promise.resolve({ assets: some.map((id) => assetOf(id, Math.floor(PAGE_BYTES / 50))), ofFirst: some.length }),
    );
    expect(await ids(hitsOf(201))).toEqual(idsOf(hitsOf(50)));
    expect(counts()).toEqual([10, 100, 91, 10, 10, 10, 10, 10, 10]);
  });

  it('ends where its bodies are a page, and has one in any case', async () => {
    const most = PAGE_BYTES / 4;
    findFitting.mockImplementation((some) =>
      Promise.resolve({ assets: some.slice(0, 3).map((id) => assetOf(id, most)), ofFirst: 3 }),
    );
    expect(await ids(hitsOf(10))).toEqual(['0', '1', '2', '3']);
    findFitting.mockImplementation(([first = '']) =>
      Promise.resolve({ assets: [assetOf(first, 2 * PAGE_BYTES)], ofFirst: 1 }),
    );
    expect(await ids(hitsOf(10))).toEqual(['0']);
  });

  it('goes on behind those that are not there any more', async () => {
    findFitting.mockResolvedValueOnce({ assets: [], ofFirst: 2 });
    expect(await ids(hitsOf(4))).toEqual(['2', '3']);
    expect(findFitting.mock.calls.map(([some]) => some)).toEqual([idsOf(hitsOf(4)), ['2', '3']]);
  });

  it('is what it was when it was found, and left out where nobody knows that any more', async () => {
    findFitting.mockResolvedValue({ assets: ['0', '1', '2'].map((id) => assetOf(id, 10, 7)), ofFirst: 3 });
    at.mockImplementation((id, us) =>
      id === '1' ? Promise.reject(assetNotFound()) : Promise.resolve(assetOf(id, 20, us)),
    );
    const read = await found.read(hitsOf(3));
    expect(read.map(({ asset }) => [asset.id, asset.modifiedUs, asset.body.length])).toEqual([
      ['0', 0, 20],
      ['2', 2, 20],
    ]);
  });
});
