import type { RegistryClient } from 'asset-registry-client';
import type { Selection } from '../asset-row.js';
import { EXIT, SyncError } from '../sync-error.js';

/**
 * A name that is misspelt would make a copy of nothing.
 * @returns the same, with types by their current names
 * @throws SyncError for types and fields that the registry does not have
 */
export async function knownSelection(client: RegistryClient, { fields, types }: Selection): Promise<Selection> {
  const there = await client.types();
  const nameOf = new Map(there.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => [one, name] as const)));
  checkKnown('asset type', types ?? [], new Set(nameOf.keys()));
  checkKnown('field', fields ?? [], new Set(there.flatMap((type) => type.fields)));
  return { fields, types: types && [...new Set(types.map((name) => nameOf.get(name) as string))] };
}

function checkKnown(what: string, wanted: readonly string[], there: ReadonlySet<string>): void {
  const unknown = wanted.filter((name) => !there.has(name));
  if (unknown.length === 0) return;
  throw new SyncError(`The registry has no ${what} ${unknown.join(', ')}; it has ${[...there].join(', ')}`, EXIT.usage);
}
