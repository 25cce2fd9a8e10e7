/* What was created in a village since a day: node village-watch.ts https://registry.example Софіївка 2026-11-01 */
import { type Asset, RegistryClient } from 'asset-registry-client';

const [url = '', village = '', since = ''] = process.argv.slice(2);
const registry = new RegistryClient(url);
// The bare name is asked for: `с. Софіївка` is the village too.
const isOfVillage = (locality = ''): boolean => locality === village || locality.endsWith(` ${village}`);
const localities = (asset: Asset): (string | undefined)[] => {
  if (asset.assetType === 'claimRights') return [];
  const places = asset.assetType === 'compound' ? asset.items : [asset];
  return places.map(({ address }) => address.locality);
};
// The words of `q` may stand elsewhere in an asset, and what is older may have been changed since. Dates are compared
// as texts: both are by the registry's clock, where a day begins at its own midnight.
for await (const asset of registry.search({ q: village, modifiedFrom: since, sort: 'dateModified', fields: '*' }))
  if (localities(asset).some(isOfVillage) && asset.date >= since) console.log(asset.assetID, asset.title);
await registry.close();
