import { Invalid, type RegistryClient } from 'asset-registry-client';
import type { Selection } from '../asset-row.js';
import { EXIT, SyncError } from '../sync-error.js';
import { feedOf } from './filter.js';

type Names = readonly string[] | null | undefined;

/** Whether the copy has the selection already: it was validated when the copy was begun, and the registry may since have removed parts. */
export function isAlreadyCopied(asked: Selection, kept: Selection | undefined): boolean {
  const isSameFilter = asked.filter === null || asked.filter === kept?.filter;
  return isSameFilter && [...without(asked.types, kept?.types), ...without(asked.fields, kept?.fields)].length === 0;
}

/**
 * Validates a selection, because a misspelt name would make an empty copy.
 * @param kept selection of the existing copy
 * @returns the selection with the types' current names, or the names used in the copy
 * @throws SyncError for types and fields that neither the copy nor the registry has
 */
export async function knownSelection(
  client: RegistryClient,
  { fields, types, filter }: Selection,
  kept: Selection | undefined,
): Promise<Selection> {
  if (filter !== null) await checkFilter(client, filter);
  const there = await client.types();
  const nameOf = new Map(there.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => [one, name] as const)));
  checkKnown('asset type', without(types, kept?.types), new Set(nameOf.keys()));
  checkKnown('field', without(fields, kept?.fields), new Set(there.flatMap((type) => type.fields)));
  for (const name of kept?.types ?? []) nameOf.set(name, name);
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

function without(names: Names, kept: Names): string[] {
  return (names ?? []).filter((name) => !kept?.includes(name));
}

function checkKnown(what: string, wanted: readonly string[], there: ReadonlySet<string>): void {
  const unknown = wanted.filter((name) => !there.has(name));
  if (unknown.length === 0) return;
  throw new SyncError(`The registry has no ${what} ${unknown.join(', ')}; it has ${[...there].join(', ')}`, EXIT.usage);
}
