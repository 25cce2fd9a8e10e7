import { countFacets, type Facet } from './facet-counts.ts';
import { type FoundPage, type IndexHit, MAX_COUNTED } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import { type IndexPageQuery, type IndexQuery, matchOf } from './index-query.ts';
import type { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** So many entries with an amount between the bounds are looked up, rather than each hit asked for its amount. */
const FEW_AMOUNTS = 50_000;
/** So many entries along the amounts are looked at first. */
const FIRST_ALONG = 1_000;

/** Places of hits, both included. */
interface Places {
  first: number;
  last: number;
}

/** SQL with the values to bind; of hits, a SELECT of their places (`hit`). */
export interface Source {
  sql: string;
  values: unknown[];
}

type Counted = Pick<FoundPage, 'count' | 'facets'>;
type Condition = readonly [sql: string, ...values: unknown[]];

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
      return { us, value: { hits: [], count: 0, isCountExact: true, facets: withFacets ? NO_FACETS : undefined } };
    const all = withFacets && query.facets ? this.totals.facets(query.facets, position) : undefined;
    const source = this.source(query, places);
    const { count, facets } = all?.value ?? this.counted(source, withFacets);
    const hits = page.isByValue ? this.byAmount(query, page, { source, places, count }) : this.byPlace(query, page);
    const isCountExact = all !== undefined || count <= MAX_COUNTED;
    return { us: all?.us ?? us, value: { hits, count, isCountExact, facets } };
  }

  /** A SELECT of the places of all hits. @returns undefined where there are none */
  hits(query: IndexQuery): Source | undefined {
    const places = this.places(query);
    return places && this.source(query, places);
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

  /** Few hits are read and sorted. Of many, a page is soon met along the amounts: the first entries are looked at before all hits are listed. */
  private byAmount(
    query: IndexQuery,
    { isDescending, after, limit }: IndexPageQuery,
    { source, places, count }: { source: Source; places: Places; count: number },
  ): IndexHit[] {
    const direction = isDescending ? 'DESC' : 'ASC';
    const order = `ORDER BY amount ${direction}, seq ${direction} LIMIT ?`;
    const page = (from: string, ...values: unknown[]): IndexHit[] =>
      this.file.rows(`SELECT lower(hex(id)) AS id, us AS modifiedUs, amount FROM ${from} ${order}`, ...values, limit);
    const conditions = amountConditions(query);
    if (after?.amount !== undefined) {
      const place = BigInt(this.placeOf(after.us, isDescending));
      conditions.push([`(amount, seq) ${isDescending ? '<' : '>'} (?, ?)`, after.amount, place]);
    }
    conditions.push(['seq >= ? AND seq <= ?', ...placesOf(places)]);
    const { sql, values } = joined(conditions);
    if (count <= MAX_COUNTED)
      return page(`(${source.sql}) CROSS JOIN entry ON seq = hit WHERE ${sql}`, ...source.values, ...values);
    const along = `entry INDEXED BY entry_amount WHERE ${sql}`;
    const match = matchOf(query);
    if (match === undefined) return page(along, ...values);
    const hits = 'SELECT rowid FROM words WHERE words MATCH ?';
    const first = `SELECT seq FROM ${along} ${order}`;
    const found = page(`entry WHERE seq IN (${hits} AND +rowid IN (${first}))`, match, ...values, FIRST_ALONG);
    return found.length === limit ? found : page(`${along} AND seq IN (${hits})`, ...values, match);
  }

  /** The entry at an instant may have gone since: it is passed over, with none beside it. */
  private placeOf(us: number, isDescending: boolean): number {
    const sql = isDescending
      ? 'SELECT seq FROM entry WHERE us >= ? ORDER BY us LIMIT 1'
      : 'SELECT seq FROM entry WHERE us <= ? ORDER BY us DESC LIMIT 1';
    return this.file.value<number>(sql, BigInt(us)) ?? (isDescending ? Number.MAX_SAFE_INTEGER : -1);
  }

  /** FTS5 walks its lists in the order of places, so nothing is sorted. CROSS keeps the tables in this order. */
  private source(query: IndexQuery, places: Places): Source {
    const match = matchOf(query);
    const table = match === undefined ? 'entry' : 'words';
    const conditions: Condition[] = [
      ...(match === undefined ? [] : [['words MATCH ?', match] as const]),
      [`${table}.rowid >= ? AND ${table}.rowid <= ?`, ...placesOf(places)],
    ];
    let from = table;
    if (query.amounts !== undefined) {
      const amounts = joined(amountConditions(query));
      const few = `SELECT seq FROM entry INDEXED BY entry_amount WHERE ${amounts.sql}`;
      const counted = `SELECT COUNT(*) FROM (${few} LIMIT ?)`;
      const isFew = (this.file.value<number>(counted, ...amounts.values, FEW_AMOUNTS + 1) ?? 0) <= FEW_AMOUNTS;
      // FTS5 would look each of them up from the beginning of its lists: a plus has them looked up instead.
      if (isFew) conditions.push([`${match === undefined ? '' : '+'}${table}.rowid IN (${few})`, ...amounts.values]);
      else conditions.push([amounts.sql, ...amounts.values]);
      if (!isFew && match !== undefined) from = 'words CROSS JOIN entry ON entry.seq = words.rowid';
      if (!isFew && match === undefined) from = 'entry NOT INDEXED';
    }
    const { sql, values } = joined(conditions);
    return { sql: `SELECT ${table}.rowid AS hit FROM ${from} WHERE ${sql}`, values };
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

function joined(conditions: readonly Condition[]): Source {
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

function placesOf({ first, last }: Places): bigint[] {
  return [BigInt(first), BigInt(last)];
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
