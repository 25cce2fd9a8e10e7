/* Vehicles under 50,000 UAH in Lviv oblast that may still be had, the cheapest first: node cheap-vehicles.ts https://registry.example */
import { RegistryClient } from 'asset-registry-client';

const BELOW = 50_000;
const registry = new RegistryClient(process.argv[2] ?? '');
const vehicles = registry.search({
  classification: 'CPV:34',
  region: ['Львівська область'],
  status: ['pending'],
  currency: 'UAH',
  valueTo: BELOW,
  sort: 'value',
  fields: ['assetID', 'title', 'value'],
});
// `valueTo` is among what is found.
for await (const { assetID, title, value } of vehicles)
  if (value !== undefined && value.amount < BELOW) console.log(value.amount, assetID, title);
await registry.close();
