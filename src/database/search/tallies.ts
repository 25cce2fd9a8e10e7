import { printDecimal } from '../../asset-types/fields-json.js';
import type { IndexedAsset, Region } from './indexed-asset.js';
import type { SearchFile } from './search-file.js';

/** What is counted of an entry. */
export interface CountedEntry {
  status: string;
  type: string;
  /** Keys of its regions as JSON. */
  regions: string;
  currency: string | null;
  amount: number | null;
  createdDay: string;
  changedDay: string;
}

/**
 * What is counted: entries by region, state and type (`choice`; an empty region counts each entry once), by the currency of their value with
 * the sum of the amounts, and by the days of their creation and of their last change.
 */
export type TallyKind = 'choice' | 'value' | 'created' | 'changed';

/** Decimal places of amounts: contract section 1 allows as many. */
const DECIMALS = 9;

/** What is counted of an asset. */
export function countedOf(asset: IndexedAsset): CountedEntry {
  return {
    status: asset.status,
    type: asset.assetType,
    regions: JSON.stringify(asset.regions.map(({ key }) => key)),
    currency: asset.value?.currency ?? null,
    amount: asset.value?.amount ?? null,
    createdDay: asset.createdDay,
    changedDay: asset.changedDay,
  };
}

/** Keys of regions, states and types have no spaces. */
export function choiceKey(region: string, status: string, type: string): string {
  return `${region} ${status} ${type}`;
}

interface Change {
  entries: number;
  sum: bigint;
}

/** What a transaction changes in the numbers of entries, so that nothing is ever counted by reading all of them. */
export class Tallies {
  private readonly changes = new Map<TallyKind, Map<string, Change>>();
  private readonly regions = new Map<string, { name: string | undefined; more: number }>();
  private readonly facets = new Map<string, { facet: FacetKey; more: number }>();

  /** @param sign 1 for an entry that comes, -1 for one that goes */
  count(entry: CountedEntry, sign: 1 | -1): void {
    const { status, type, currency, amount } = entry;
    this.countFacet(entry, sign);
    for (const region of ['', ...(JSON.parse(entry.regions) as string[])]) {
      this.add('choice', choiceKey(region, status, type), sign);
      if (region !== '') this.countRegion({ key: region }, sign);
    }
    this.add('created', entry.createdDay, sign);
    this.add('changed', entry.changedDay, sign);
    if (currency !== null && amount !== null) this.add('value', currency, sign, BigInt(sign) * scaled(amount));
  }

  /** The spelling that came first stays. */
  nameRegions(regions: readonly Region[]): void {
    for (const region of regions) this.countRegion(region, 0);
  }

  private countRegion({ key, name }: { key: string; name?: string }, more: number): void {
    const known = this.regions.get(key);
    this.regions.set(key, { name: known?.name ?? name, more: (known?.more ?? 0) + more });
  }

  private countFacet({ status, type, regions }: FacetKey, more: number): void {
    const key = `${status} ${type} ${regions}`;
    const counted = this.facets.get(key) ?? { facet: { status, type, regions }, more: 0 };
    counted.more += more;
    this.facets.set(key, counted);
  }

  private add(kind: TallyKind, key: string, entries: number, sum = 0n): void {
    const kept = this.changes.get(kind) ?? new Map<string, Change>();
    const before = kept.get(key) ?? { entries: 0, sum: 0n };
    kept.set(key, { entries: before.entries + entries, sum: before.sum + sum });
    this.changes.set(kind, kept);
  }

  writeTo(file: SearchFile): void {
    for (const [kind, changes] of this.changes)
      for (const [key, change] of changes) writeChange(file, kind, key, change);
    for (const [key, { name, more }] of this.regions) {
      const sql =
        'INSERT INTO region (key, name, entries) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET entries = entries + excluded.entries';
      file.run(sql, key, name ?? '', more);
      file.run('DELETE FROM region WHERE key = ? AND entries <= 0', key);
    }
    for (const { facet, more } of this.facets.values()) {
      const number = facetOf(file, facet);
      file.run('UPDATE facet SET entries = entries + ? WHERE number = ?', more, number);
      file.run('DELETE FROM facet WHERE number = ? AND entries <= 0', number);
    }
  }
}

type FacetKey = Pick<CountedEntry, 'status' | 'type' | 'regions'>;

/** The number of what entries have in common; it gets one where it has none. */
export function facetOf(file: SearchFile, { status, type, regions }: FacetKey): number {
  const sql = 'SELECT number FROM facet WHERE status = ? AND type = ? AND regions = ?';
  const find = (): number | undefined => file.rows<{ number: number }>(sql, status, type, regions)[0]?.number;
  const known = find();
  if (known !== undefined) return known;
  file.run('INSERT INTO facet (status, type, regions, entries) VALUES (?, ?, ?, 0)', status, type, regions);
  return find() as number;
}

function writeChange(file: SearchFile, kind: TallyKind, key: string, { entries, sum }: Change): void {
  const [before] = file.rows<{ entries: number; sum: string }>(
    'SELECT entries, sum FROM tally WHERE kind = ? AND key = ?',
    kind,
    key,
  );
  const now = entries + (before?.entries ?? 0);
  if (now === 0) file.run('DELETE FROM tally WHERE kind = ? AND key = ?', kind, key);
  else
    file.run(
      'REPLACE INTO tally (kind, key, entries, sum) VALUES (?, ?, ?, ?)',
      kind,
      key,
      now,
      String(sum + BigInt(before?.sum ?? 0)),
    );
}

/** An amount in parts of a thousand million: their sum is exact. Of its decimal digits, as the double itself lies beside them. */
function scaled(amount: number): bigint {
  const [whole = '', parts = ''] = printDecimal(amount).split('.');
  return BigInt(whole + parts.padEnd(DECIMALS, '0'));
}

/** A sum of scaled amounts as a plain decimal: `1234.5`, and `0.0` at least. */
export function printSum(sum: bigint): string {
  const digits = String(sum).padStart(DECIMALS + 1, '0');
  const [whole, parts] = [digits.slice(0, -DECIMALS), digits.slice(-DECIMALS)];
  return `${whole}.${parts.replace(/0+$/, '') || '0'}`;
}
