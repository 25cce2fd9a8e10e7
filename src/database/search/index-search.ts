import { countFacets, type Facet } from './facet-counts.ts';
import { type FoundPage, type IndexHit, MAX_COUNTED } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import { type IndexPageQuery, type IndexQuery, matchOf } from './index-query.ts';
import type { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** So many entries with an amount between the bounds are looked up, rather than each hit asked for its amount. */
const FEW_AMOUNTS = 50_000;

/** Places of hits, both included. */
interface Places {
  first: number;
  last: number;
}

/** A SELECT of the places of hits (`hit`), with the values to bind. */
interface Source {
  sql: string;
  values: unknown[];
}

type Counted = Omit<FoundPage, 'hits'>;
type Condition = readonly [sql: string, ...values: unknown[]];

/** Facets with any of some states and of some types; with all, where none is given. */
const FACETS_WITH = `SELECT number FROM facet WHERE (? = '[]' OR status IN (SELECT value FROM json_each(?)))
  AND (? = '[]' OR type IN (SELECT value FROM json_each(?)))`;

const NO_FACETS = { status: [], assetType: [], region: [] };

/** Finds entries by FTS5 and SQL. */
export class IndexSearch {
  private readonly file: IndexFile;
  private readonly totals: IndexTotals;

  constructor(file: IndexFile, totals: IndexTotals) {
    this.file = file;
    this.totals = totals;
  }

  /** @returns the page, with the instant of the index that its counts are of */
  find(query: IndexQuery | undefined, page: IndexPageQuery, position: IndexPosition): { us: number; value: FoundPage } {
    const { us } = position;
    const { withFacets } = page;
    const places = query && this.places(query);
    if (query === undefined || places === undefined)
      return { us, value: { hits: [], count: 0, facets: withFacets ? NO_FACETS : undefined } };
    const isAlways = query.afterUs < 0 && query.beforeUs === Number.MAX_SAFE_INTEGER;
    const isOfAll = withFacets && query.isByFacets && query.amounts === undefined && isAlways;
    const all = isOfAll ? this.totals.facets(query.facets, position) : undefined;
    const source = this.source(query, places);
    const { count, facets } = all?.value ?? this.counted(source, withFacets);
    const hits = page.isByValue ? this.byAmount(query, page, { source, places, count }) : this.byPlace(query, page);
    return { us: all?.us ?? us, value: { hits, count: Math.min(count, MAX_COUNTED + 1), facets } };
  }

  private counted(source: Source, withFacets: boolean): Counted {
    if (withFacets) return this.countFacets(source);
    const counted = `SELECT COUNT(*) FROM (${source.sql} LIMIT ?)`;
    const count = this.file.value<number>(counted, ...source.values, MAX_COUNTED + 1) ?? 0;
    return { count, facets: undefined };
  }

  /** Count and facets are of one reading of the newest hits. */
  private countFacets({ sql, values }: Source): Counted {
    const numbers = this.file.values<number>(
      `SELECT (SELECT facet FROM entry WHERE seq = hit) FROM (${sql} ORDER BY hit DESC LIMIT ?)`,
      ...values,
      MAX_COUNTED + 1,
    );
    const counts = new Map<number, number>();
    for (const number of numbers.slice(0, MAX_COUNTED)) counts.set(number, (counts.get(number) ?? 0) + 1);
    const facets = [...counts].map(([number, n]): Facet => {
      const [facet] = this.file.rows<Facet>('SELECT status, type, regions FROM facet WHERE number = ?', number);
      return { ...(facet as Facet), n };
    });
    return { count: numbers.length, facets: countFacets(facets) };
  }

  /** In the order of the feed, or the other way round. */
  private byPlace(query: IndexQuery, { isDescending, after, limit }: IndexPageQuery): IndexHit[] {
    const left = after === undefined ? query : behind(query, isDescending, after.us);
    const places = this.places(left);
    if (places === undefined) return [];
    const { sql, values } = this.source(left, places);
    const direction = isDescending ? 'DESC' : 'ASC';
    return this.file.rows<IndexHit>(
      `SELECT lower(hex(id)) AS id, us AS modifiedUs FROM (${sql} ORDER BY hit ${direction} LIMIT ?)
       CROSS JOIN entry ON seq = hit ORDER BY seq ${direction}`,
      ...values,
      limit,
    );
  }

  /** Few hits are read and sorted; many are met soon along the amounts. */
  private byAmount(
    query: IndexQuery,
    { isDescending, after, limit }: IndexPageQuery,
    { source, places, count }: { source: Source; places: Places; count: number },
  ): IndexHit[] {
    const isFew = count <= MAX_COUNTED;
    const conditions = [...amountConditions(query), ...(isFew ? [] : this.onTheWay(query, places))];
    if (after?.amount !== undefined) {
      const place = BigInt(this.placeOf(after.us, isDescending));
      conditions.push([`(amount, seq) ${isDescending ? '<' : '>'} (?, ?)`, after.amount, place]);
    }
    const direction = isDescending ? 'DESC' : 'ASC';
    const from = isFew ? `(${source.sql}) CROSS JOIN entry ON seq = hit` : 'entry INDEXED BY entry_amount';
    return this.file.rows<IndexHit>(
      `SELECT lower(hex(id)) AS id, us AS modifiedUs, amount FROM ${from}
       WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY amount ${direction}, seq ${direction} LIMIT ?`,
      ...(isFew ? source.values : []),
      ...conditions.flatMap(([, ...values]) => values),
      limit,
    );
  }

  /** What is asked of whatever is met along the amounts: it has the currency. */
  private onTheWay(query: IndexQuery, { first, last }: Places): Condition[] {
    const range: Condition = ['seq >= ? AND seq <= ?', BigInt(first), BigInt(last)];
    const match = matchOf(query);
    if (match === undefined) return [range];
    const { status, assetType, region } = query.facets;
    if (!query.isByFacets || region.length > 0)
      return [range, ['seq IN (SELECT rowid FROM words WHERE words MATCH ?)', match]];
    const chosen = [status, assetType].map((list) => JSON.stringify(list));
    return [range, [`facet IN (${FACETS_WITH})`, ...chosen.flatMap((list) => [list, list])]];
  }

  /** The entry at an instant may have gone since: it is passed over, with none beside it. */
  private placeOf(us: number, isDescending: boolean): number {
    const sql = isDescending
      ? 'SELECT seq FROM entry WHERE us >= ? ORDER BY us LIMIT 1'
      : 'SELECT seq FROM entry WHERE us <= ? ORDER BY us DESC LIMIT 1';
    return this.file.value<number>(sql, BigInt(us)) ?? (isDescending ? Number.MAX_SAFE_INTEGER : -1);
  }

  /** FTS5 walks its lists in the order of places, so nothing is sorted. CROSS keeps the tables in this order. */
  private source(query: IndexQuery, { first, last }: Places): Source {
    const match = matchOf(query);
    const table = match === undefined ? 'entry' : 'words';
    const conditions: Condition[] = [
      ...(match === undefined ? [] : [['words MATCH ?', match] as const]),
      [`${table}.rowid >= ? AND ${table}.rowid <= ?`, BigInt(first), BigInt(last)],
    ];
    let from = table;
    if (query.amounts !== undefined) {
      const amounts = amountConditions(query);
      const [sql, values] = [amounts.map(([one]) => one).join(' AND '), amounts.flatMap(([, ...one]) => one)];
      const few = `SELECT seq FROM entry INDEXED BY entry_amount WHERE ${sql}`;
      const counted = `SELECT COUNT(*) FROM (${few} LIMIT ?)`;
      const isFew = (this.file.value<number>(counted, ...values, FEW_AMOUNTS + 1) ?? 0) <= FEW_AMOUNTS;
      // FTS5 would look each of them up from the beginning of its lists: a plus has them looked up instead.
      if (isFew) conditions.push([`${match === undefined ? '' : '+'}${table}.rowid IN (${few})`, ...values]);
      else conditions.push([sql, ...values]);
      if (!isFew && match !== undefined) from = 'words CROSS JOIN entry ON entry.seq = words.rowid';
      if (!isFew && match === undefined) from = 'entry NOT INDEXED';
    }
    return {
      sql: `SELECT ${table}.rowid AS hit FROM ${from} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`,
      values: conditions.flatMap(([, ...values]) => values),
    };
  }

  /** @returns undefined where there are none */
  private places({ afterUs, beforeUs }: IndexQuery): Places | undefined {
    const first = this.file.value<number>('SELECT seq FROM entry WHERE us > ? ORDER BY us LIMIT 1', BigInt(afterUs));
    const sql = 'SELECT seq FROM entry WHERE us < ? ORDER BY us DESC LIMIT 1';
    const last = this.file.value<number>(sql, BigInt(beforeUs));
    return first === undefined || last === undefined ? undefined : { first, last };
  }
}

/** What is left of a query behind a hit, in the order of the feed or the other way round. */
function behind(query: IndexQuery, isDescending: boolean, us: number): IndexQuery {
  const { afterUs, beforeUs } = query;
  const range = isDescending ? { beforeUs: Math.min(beforeUs, us) } : { afterUs: Math.max(afterUs, us) };
  return { ...query, ...range };
}

/** The conditions of a query's amounts; an order by amounts has some. */
function amountConditions({ amounts }: IndexQuery): Condition[] {
  if (amounts === undefined) return [];
  const { currency, from, to } = amounts;
  const conditions: Condition[] = [['currency = ?', currency]];
  if (from !== undefined) conditions.push([`amount ${from.isInside ? '>=' : '>'} ?`, from.amount]);
  if (to !== undefined) conditions.push([`amount ${to.isInside ? '<=' : '<'} ?`, to.amount]);
  return conditions;
}
