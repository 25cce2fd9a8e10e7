/* The assets of one type in a file, brought up to date by each run: node private-cache.ts https://registry.example basic cache.json */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Asset, RegistryClient } from 'asset-registry-client';

const [url = '', type = '', file = ''] = process.argv.slice(2);
const cache = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as { upTo: string; assets: Record<string, Asset> })
  : { upTo: '', assets: {} };
const registry = new RegistryClient(url);
let news = 0;
// An asset never changes its type, so none leaves the cache unnoticed. The newest one comes again.
const changed = registry.search({
  assetType: [type as Asset['assetType']],
  modifiedFrom: cache.upTo,
  sort: 'dateModified',
  fields: '*',
});
for await (const asset of changed) {
  if (cache.assets[asset.id]?.dateModified !== asset.dateModified) news++;
  cache.assets[asset.id] = asset;
  cache.upTo = asset.dateModified;
}
await registry.close();
writeFileSync(`${file}.new`, JSON.stringify(cache));
renameSync(`${file}.new`, file);
console.log(`${news} changed, ${Object.keys(cache.assets).length} in ${file}`);
