/* How many assets each custodian has on offer, the most first: node count-per-custodian.ts https://registry.example */
import { RegistryClient } from 'asset-registry-client';

const registry = new RegistryClient(process.argv[2] ?? '');
const counts = new Map<string, number>();
for await (const { assetCustodian } of registry.search({ status: ['pending', 'active'], fields: ['assetCustodian'] })) {
  const code = assetCustodian?.identifier.id ?? '';
  counts.set(code, (counts.get(code) ?? 0) + 1);
}
for (const [code, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(count, code);
await registry.close();
