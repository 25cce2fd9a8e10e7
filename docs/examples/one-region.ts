/* All assets of one region, or of a city that is a region: node one-region.ts https://registry.example 'м. Київ' */
import { RegistryClient } from 'asset-registry-client';

const [url = '', region = ''] = process.argv.slice(2);
const registry = new RegistryClient(url);
const { total } = await registry.searchPage({ region: [region], limit: 1 });
console.log(`${region}: ${total}`);
for await (const { assetID, status, title } of registry.search({ region: [region], fields: '*' }))
  console.log(assetID, status, title);
await registry.close();
