import type { FeedFilter, FilteredPages, RegistryClient } from 'asset-registry-client';

/** Parameters of the search that select assets, and whether each is repeatable. */
const PARAMETERS: Readonly<Record<keyof FeedFilter, boolean>> = {
  q: false,
  status: true,
  assetType: true,
  region: true,
  custodian: true,
  classification: false,
  relatedLot: false,
  owner: false,
  currency: false,
  valueFrom: false,
  valueTo: false,
};

/**
 * Normalises a filter, given as the query of a search URL.
 * @returns a canonical form, for comparisons
 * @throws Error for unknown parameters; only the registry can validate the values
 */
export function readFilter(text: string): string {
  const query = new URLSearchParams(text.replace(/^\?/, ''));
  const names = [...query.keys()];
  const unknown = names.filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')} cannot select assets; ${Object.keys(PARAMETERS).join(', ')} do`);
  if (names.length === 0 || [...query.values()].includes(''))
    throw new Error('Give a query such as custodian=1&status=active');
  const twice = names.filter((name, i) => names.indexOf(name) !== i && !PARAMETERS[name as keyof FeedFilter]);
  if (twice.length > 0) throw new Error(`${twice.join(', ')} can be given only once`);
  return new URLSearchParams(
    [...query].toSorted((one, other) => (one.join('=') < other.join('=') ? -1 : 1)),
  ).toString();
}

/** The feed of a copy: all changes, or with a filter those after which an asset matches. @param filter null for all assets */
export function feedOf(client: RegistryClient, filter: string | null): FilteredPages {
  if (filter === null) return client;
  const query = new URLSearchParams(filter);
  const given = [...new Set(query.keys())].map((name) => [
    name,
    PARAMETERS[name as keyof FeedFilter] ? query.getAll(name) : query.get(name),
  ]);
  return client.filtered(Object.fromEntries(given) as FeedFilter);
}
