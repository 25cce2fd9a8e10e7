/* What was created in a village since an instant: node village-watch.ts https://registry.example Софіївка 2026-11-01 */
import { type Asset, RegistryClient } from 'asset-registry-client';

const [url = '', village = '', since = ''] = process.argv.slice(2);
const registry = new RegistryClient(url);
const localities = (asset: Asset): (string | undefined)[] => {
  if (asset.assetType === 'claimRights') return [];
  const places = asset.assetType === 'compound' ? asset.items : [asset];
  return places.map(({ address }) => address.locality);
};
// The words of `q` may stand elsewhere in an asset, and what is older may have been changed since.
for await (const asset of registry.search({ q: village, modifiedFrom: since, sort: 'dateModified', fields: '*' }))
  if (localities(asset).includes(village) && Date.parse(asset.date) >= Date.parse(since))
    console.log(asset.assetID, asset.title);
await registry.close();
