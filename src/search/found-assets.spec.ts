import { expect, it, jest } from '@jest/globals';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { IndexHit } from '../database/search/index-answers.js';
import { assetNotFound } from '../platform/errors/errors.js';
import type { AssetHistory } from '../feed/reading/asset-history.js';
import type { ShownAssets } from '../feed/reading/shown-assets.js';
import { FoundAssets } from './found-assets.js';

const hitsOf = (count: number): IndexHit[] => Array.from({ length: count }, (_, i) => ({ id: `${i}`, modifiedUs: i }));

/** Only the length of the body matters. */
const assetOf = (id: string, bytes: number, modifiedUs: number): ReadAsset =>
  ({ id, modifiedUs, body: { length: bytes } }) as ReadAsset;

it('hits are read in their indexed version, and left out if that version is gone', async () => {
  const findFitting = jest.fn<ShownAssets['findFitting']>();
  findFitting.mockResolvedValue({ assets: ['0', '1', '2'].map((id) => assetOf(id, 10, 7)), idsRead: 3 });
  const at: AssetHistory['at'] = (id, us) =>
    id === '1' ? Promise.reject(assetNotFound()) : Promise.resolve(assetOf(id, 20, us));
  const found = new FoundAssets({ findFitting } as unknown as ShownAssets, { at } as unknown as AssetHistory);
  const read = await found.read(hitsOf(3));
  expect(read.map(({ asset }) => [asset.id, asset.modifiedUs, asset.body.length])).toEqual([
    ['0', 0, 20],
    ['2', 2, 20],
  ]);
});
