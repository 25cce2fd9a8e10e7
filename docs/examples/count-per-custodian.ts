/* How many assets each custodian has on offer or in verification: node count-per-custodian.ts https://registry.example */
import { RegistryClient } from 'asset-registry-client';

const registry = new RegistryClient(process.argv[2] ?? '');
const counts = new Map<string, number>();
// The states before an end: rights of claim are verified between the two others.
const status = ['pending', 'verification', 'active'] as const;
for await (const { assetCustodian } of registry.search({ status, fields: ['assetCustodian'] })) {
  const code = assetCustodian?.identifier.id ?? '';
  counts.set(code, (counts.get(code) ?? 0) + 1);
}
for (const [code, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(count, code);
await registry.close();
