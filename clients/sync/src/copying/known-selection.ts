import { Invalid, type RegistryClient } from 'asset-registry-client';
import type { Selection } from '../asset-row.js';
import { EXIT, SyncError } from '../sync-error.js';
import { feedOf } from './filter.js';

type Names = readonly string[] | null | undefined;

/** Whether the copy already has this selection. Then it is not validated again: the registry may have removed types or fields since. */
export function isAlreadyCopied(asked: Selection, existing: Selection | undefined): boolean {
  const isSameFilter = asked.filter === null || asked.filter === existing?.filter;
  return (
    isSameFilter && [...without(asked.types, existing?.types), ...without(asked.fields, existing?.fields)].length === 0
  );
}

/**
 * Validates a selection, because a misspelt name would make an empty copy.
 * @param existing selection of the existing copy
 * @returns the selection, with each type under its current name, or under its name in the copy
 * @throws SyncError for types and fields that neither the copy nor the registry has
 */
export async function knownSelection(
  client: RegistryClient,
  { fields, types, filter }: Selection,
  existing: Selection | undefined,
): Promise<Selection> {
  if (filter !== null) await checkFilter(client, filter);
  const registryTypes = await client.types();
  const nameOf = new Map(
    registryTypes.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => [one, name] as const)),
  );
  checkKnown('asset type', without(types, existing?.types), new Set(nameOf.keys()));
  checkKnown('field', without(fields, existing?.fields), new Set(registryTypes.flatMap((type) => type.fields)));
  for (const name of existing?.types ?? []) nameOf.set(name, name);
  return { fields, filter, types: types && [...new Set(types.map((name) => nameOf.get(name) as string))] };
}

/** @throws SyncError with the registry's error for an invalid filter */
async function checkFilter(client: RegistryClient, filter: string): Promise<void> {
  await feedOf(client, filter)
    .page({ limit: 1 })
    .catch((error: unknown) => {
      if (error instanceof Invalid) throw new SyncError(`--filter: ${error.message}`, EXIT.usage, { cause: error });
      throw error;
    });
}

function without(names: Names, existing: Names): string[] {
  return (names ?? []).filter((name) => !existing?.includes(name));
}

function checkKnown(what: string, wanted: readonly string[], known: ReadonlySet<string>): void {
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new SyncError(`The registry has no ${what} ${unknown.join(', ')}; it has ${[...known].join(', ')}`, EXIT.usage);
}
