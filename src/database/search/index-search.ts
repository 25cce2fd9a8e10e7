import { countFacets, type Facet } from './facet-counts.ts';
import { type FoundPage, type IndexHit, MAX_COUNTED } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import { type IndexPageQuery, type IndexQuery, matchOf } from './index-query.ts';
import type { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** Up to so many entries within the amounts' bounds are looked up; above, each hit's amount is checked instead. */
const MAX_LOOKED_UP = 50_000;
/** Entries that a search ordered by amount tries first. */
const FIRST_BY_AMOUNT = 1_000;

/** A range of `seq`, both inclusive. */
interface SeqRange {
  first: number;
  last: number;
}

/** SQL with its values; for hits, a SELECT of their `seq` as `hit`. */
export interface BoundSql {
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

  /** @returns the page, with the instant of its counts */
  find(query: IndexQuery | undefined, page: IndexPageQuery, position: IndexPosition): { us: number; value: FoundPage } {
    const { us } = position;
    const { withFacets } = page;
    const range = query && this.rangeOf(query);
    if (query === undefined || range === undefined)
      return { us, value: { hits: [], count: 0, isCountExact: true, facets: withFacets ? NO_FACETS : undefined } };
    const all = withFacets && query.facets ? this.totals.facets(query.facets, position) : undefined;
    const source = this.source(query, range);
    const { count, facets } = all?.value ?? this.counted(source, withFacets);
    const hits = page.isByValue ? this.byAmount(query, page, { source, range, count }) : this.byFeed(query, page);
    const isCountExact = all !== undefined || count <= MAX_COUNTED;
    return { us: all?.us ?? us, value: { hits, count, isCountExact, facets } };
  }

  /** A SELECT of the `seq` of all hits. @returns undefined if there are none */
  hits(query: IndexQuery): BoundSql | undefined {
    const range = this.rangeOf(query);
    return range && this.source(query, range);
  }

  private counted(source: BoundSql, withFacets: boolean): Counted {
    if (withFacets) return this.countFacets(source);
    const counted = `SELECT COUNT(*) FROM (${source.sql} LIMIT ?)`;
    const count = this.file.value<number>(counted, ...source.values, MAX_COUNTED + 1) ?? 0;
    return { count, facets: undefined };
  }

  /** Counts hits and facets in one pass over the newest hits. */
  private countFacets({ sql, values }: BoundSql): Counted {
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

  /** Ordered by the feed. */
  private byFeed(query: IndexQuery, { isDescending, after, limit }: IndexPageQuery): IndexHit[] {
    const left = after === undefined ? query : restOf(query, isDescending, after.us);
    const range = this.rangeOf(left);
    if (range === undefined) return [];
    const { sql, values } = this.source(left, range);
    const direction = isDescending ? 'DESC' : 'ASC';
    return this.file.rows<IndexHit>(
      `SELECT lower(hex(id)) AS id, us AS modifiedUs FROM (${sql} ORDER BY hit ${direction} LIMIT ?)
       CROSS JOIN entry ON seq = hit ORDER BY seq ${direction}`,
      ...values,
      limit,
    );
  }

  /** Ordered by amount. Sorts the hits if they are few; otherwise walks the index of amounts, and tries its first entries before listing all hits. */
  private byAmount(
    query: IndexQuery,
    { isDescending, after, limit }: IndexPageQuery,
    { source, range, count }: { source: BoundSql; range: SeqRange; count: number },
  ): IndexHit[] {
    const direction = isDescending ? 'DESC' : 'ASC';
    const order = `ORDER BY amount ${direction}, seq ${direction} LIMIT ?`;
    const page = (from: string, ...values: unknown[]): IndexHit[] =>
      this.file.rows(`SELECT lower(hex(id)) AS id, us AS modifiedUs, amount FROM ${from} ${order}`, ...values, limit);
    const conditions = amountConditions(query);
    if (after?.amount !== undefined) {
      const seq = BigInt(this.seqAt(after.us, isDescending));
      conditions.push([`(amount, seq) ${isDescending ? '<' : '>'} (?, ?)`, after.amount, seq]);
    }
    conditions.push(['seq >= ? AND seq <= ?', ...boundsOf(range)]);
    const { sql, values } = allOf(conditions);
    if (count <= MAX_COUNTED)
      return page(`(${source.sql}) CROSS JOIN entry ON seq = hit WHERE ${sql}`, ...source.values, ...values);
    const along = `entry INDEXED BY entry_amount WHERE ${sql}`;
    const match = matchOf(query);
    if (match === undefined) return page(along, ...values);
    const hits = 'SELECT rowid FROM words WHERE words MATCH ?';
    const first = `SELECT seq FROM ${along} ${order}`;
    const found = page(`entry WHERE seq IN (${hits} AND +rowid IN (${first}))`, match, ...values, FIRST_BY_AMOUNT);
    return found.length === limit ? found : page(`${along} AND seq IN (${hits})`, ...values, match);
  }

  /** The `seq` of the entry at an instant, or of its neighbour if the entry has gone since. */
  private seqAt(us: number, isDescending: boolean): number {
    const sql = isDescending
      ? 'SELECT seq FROM entry WHERE us >= ? ORDER BY us LIMIT 1'
      : 'SELECT seq FROM entry WHERE us <= ? ORDER BY us DESC LIMIT 1';
    return this.file.value<number>(sql, BigInt(us)) ?? (isDescending ? Number.MAX_SAFE_INTEGER : -1);
  }

  /** FTS5 returns rows ordered by `seq`, so nothing is sorted. CROSS JOIN keeps the order of the tables. */
  private source(query: IndexQuery, range: SeqRange): BoundSql {
    const match = matchOf(query);
    const table = match === undefined ? 'entry' : 'words';
    const conditions: Condition[] = [
      ...(match === undefined ? [] : [['words MATCH ?', match] as const]),
      [`${table}.rowid >= ? AND ${table}.rowid <= ?`, ...boundsOf(range)],
    ];
    let from = table;
    if (query.amounts !== undefined) {
      const amounts = allOf(amountConditions(query));
      const few = `SELECT seq FROM entry INDEXED BY entry_amount WHERE ${amounts.sql}`;
      const counted = `SELECT COUNT(*) FROM (${few} LIMIT ?)`;
      const isFew = (this.file.value<number>(counted, ...amounts.values, MAX_LOOKED_UP + 1) ?? 0) <= MAX_LOOKED_UP;
      // Without the plus, FTS5 would search each of them from the beginning of its lists.
      if (isFew) conditions.push([`${match === undefined ? '' : '+'}${table}.rowid IN (${few})`, ...amounts.values]);
      else conditions.push([amounts.sql, ...amounts.values]);
      if (!isFew && match !== undefined) from = 'words CROSS JOIN entry ON entry.seq = words.rowid';
      if (!isFew && match === undefined) from = 'entry NOT INDEXED';
    }
    const { sql, values } = allOf(conditions);
    return { sql: `SELECT ${table}.rowid AS hit FROM ${from} WHERE ${sql}`, values };
  }

  /** @returns undefined if the query's range of instants is empty */
  private rangeOf({ afterUs, beforeUs }: IndexQuery): SeqRange | undefined {
    const first = this.file.value<number>('SELECT seq FROM entry WHERE us > ? ORDER BY us LIMIT 1', BigInt(afterUs));
    const sql = 'SELECT seq FROM entry WHERE us < ? ORDER BY us DESC LIMIT 1';
    const last = this.file.value<number>(sql, BigInt(beforeUs));
    return first === undefined || last === undefined ? undefined : { first, last };
  }
}

/** The query restricted to what follows an instant in the given order. */
function restOf(query: IndexQuery, isDescending: boolean, us: number): IndexQuery {
  const { afterUs, beforeUs } = query;
  const range = isDescending ? { beforeUs: Math.min(beforeUs, us) } : { afterUs: Math.max(afterUs, us) };
  return { ...query, ...range };
}

function allOf(conditions: readonly Condition[]): BoundSql {
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

function boundsOf({ first, last }: SeqRange): bigint[] {
  return [BigInt(first), BigInt(last)];
}

/** Never empty for an order by amount. */
function amountConditions({ amounts }: IndexQuery): Condition[] {
  if (amounts === undefined) return [];
  const { currency, from, to } = amounts;
  const conditions: Condition[] = [['currency = ?', currency]];
  if (from !== undefined) conditions.push([`amount ${from.isInside ? '>=' : '>'} ?`, from.amount]);
  if (to !== undefined) conditions.push([`amount ${to.isInside ? '<=' : '<'} ?`, to.amount]);
  return conditions;
}
