import { setImmediate } from 'node:timers/promises';
import { type AmountCondition, amountConditions, isBounded } from './amounts.js';
import { type Direction, type IndexHit, type IndexQuery, isAlways, matchOf } from './index-query.js';
import { partOf, type Piece, type Places, PLACES, type PricedPlace, restOf, tableOf } from './parts.js';
import type { SearchFile } from './search-file.js';
import { countEach, WholeFacets } from './whole-facets.js';

/** Where amounts are bounded, so many places are looked at by one statement: it may find none that fits. */
const PLACES_WITH_AMOUNTS = 32_768;
/** So many entries with an amount between the bounds are looked at each, rather than lists of terms. */
const FEW_AMOUNTS = 5_000;
/** Places of one statement that are asked for what was chosen, and how many terms of it: with more, lists of terms are read sooner. */
const PLACES_AT_ONCE = 1_000;
const MOST_TERMS = 10;
/** Rows of one statement. */
const ROWS_AT_ONCE = 2_000;
/** Where a piece has less than this share of what is wanted, the next ones are expected to have as few. */
const FEW = 0.1;

/** What is read beside a place: `entry` is narrow; `detail` has an asset's id, and is read of hits that are shown. */
type Joined = readonly ('entry' | 'detail')[];

type Source<Row> = (direction: Direction, most: number) => Row[];

/** Reads hits, piece by piece of the index. SQLite blocks the event loop, so pending I/O is handled between two statements of many rows. */
export class SearchScan {
  private readonly match: string | undefined;
  /** Where amounts are bounded. */
  private readonly amounts: readonly AmountCondition[];
  /** Places of all hits; null where they are not found by their amounts. */
  private few: readonly number[] | null | undefined;

  constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
  ) {
    this.match = matchOf(query);
    this.amounts = isBounded(query) ? amountConditions(query) : [];
  }

  /** Found by the index of amounts when they are needed, in the order of the feed. */
  private async fewHits(): Promise<readonly number[] | null> {
    if (this.few !== undefined) return this.few;
    const hits = this.amounts.length === 0 ? null : await this.findFew();
    this.few = hits?.toSorted((a, b) => a - b) ?? null;
    return this.few;
  }

  private async findFew(): Promise<number[] | null> {
    const whole = WholeFacets.of(this.file, this.query);
    const some = whole?.places(FEW_AMOUNTS + 1) ?? this.withAmounts(FEW_AMOUNTS + 1);
    if (some.length > FEW_AMOUNTS) return null;
    return whole === undefined ? [...(await this.fitting(some))] : some;
  }

  /** Places of entries with an amount between the bounds, whatever else is asked: at most `most`. */
  private withAmounts(most: number): number[] {
    return this.file.values(`SELECT seq FROM ${this.pricedSql} LIMIT ?`, ...this.amountValues, most);
  }

  private get pricedSql(): string {
    const conditions = this.amounts.map(([condition]) => condition).join(' AND ');
    return `entry INDEXED BY entry_amount WHERE ${conditions}`;
  }

  private get amountValues(): (string | number)[] {
    return this.amounts.map(([, value]) => value);
  }

  /** The first `limit` hits in the order of the feed, or the last ones, the newest first. */
  async hits(direction: Direction, limit: number): Promise<IndexHit[]> {
    const hits: IndexHit[] = [];
    const columns = 'detail.id AS id, entry.us AS modifiedUs';
    const wanted = (): number => limit - hits.length;
    for await (const some of this.portions<IndexHit>(columns, ['entry', 'detail'], direction, wanted)) {
      hits.push(...some);
      if (hits.length === limit) break;
    }
    return hits;
  }

  /** Places and amounts of all hits that have one, some at a time. */
  priced(direction: Direction): AsyncGenerator<PricedPlace[]> {
    return this.portions('entry.us AS modifiedUs, entry.amount AS amount', ['entry'], direction);
  }

  /** How many of the newest hits there are of each facet, by its number. @param most that are looked at */
  async facets(most: number): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    let left = most;
    for await (const piece of this.pieces('DESC')) {
      for (let rest: Piece | undefined = piece; rest !== undefined;) {
        const wanted = Math.min(left, ROWS_AT_ONCE);
        const { facets, first } = this.facetsIn(rest, wanted);
        countEach(facets, counts);
        left -= facets.length;
        if (left === 0) return counts;
        rest = facets.length < wanted ? undefined : restOf(rest, first, 'DESC');
      }
    }
    return counts;
  }

  /** As one text: an object for each would take most of the time. @returns the first place of them, too */
  private facetsIn(piece: Piece, most: number): { facets: number[]; first: number } {
    const hits = `SELECT entry.seq AS seq, entry.facet AS facet FROM ${this.sourceOf(piece, ['entry'], 'DESC')} LIMIT ?`;
    const sql = `SELECT json_group_array(facet) AS facets, MIN(seq) AS first FROM (${hits})`;
    const [found] = this.file.rows<{ facets: string; first: number | null }>(sql, ...this.valuesOf(piece), most);
    return { facets: JSON.parse(found?.facets ?? '[]') as number[], first: found?.first ?? 0 };
  }

  /** @param wanted asked before each portion: at most so many rows */
  private async *portions<Row>(
    columns: string,
    joined: Joined,
    direction: Direction,
    wanted: () => number = () => ROWS_AT_ONCE,
  ): AsyncGenerator<(Row & { seq: number })[]> {
    let areFew = false;
    for await (const piece of this.pieces(direction)) {
      for (let left: Piece | undefined = piece; left !== undefined;) {
        const most = Math.min(wanted(), ROWS_AT_ONCE);
        const from = this.sourceFor<Row>(left, columns, joined);
        const all: (Row & { seq: number })[] | undefined =
          areFew && direction === 'DESC' ? allOf(from, most) : undefined;
        const some: (Row & { seq: number })[] = all ?? from(direction, most);
        areFew = some.length < FEW * most;
        left = some.length < most ? undefined : restOf(left, some.at(-1)?.seq ?? 0, direction);
        if (some.length > 0) yield some;
        if (left !== undefined) await setImmediate();
      }
    }
  }

  /** Reads at most so many of a piece in an order. */
  private sourceFor<Row>(piece: Piece, columns: string, joined: Joined): Source<Row & { seq: number }> {
    const select = (direction: Direction): string =>
      `SELECT entry.seq AS seq, ${columns} FROM ${this.sourceOf(piece, joined, direction)} LIMIT ?`;
    return (direction, most) => this.file.rows(select(direction), ...this.valuesOf(piece), most);
  }

  /** How many hits there are, at most `most`. */
  async count(most: number): Promise<number> {
    if (this.match === undefined && this.amounts.length > 0 && isAlways(this.query))
      return this.withAmounts(most).length;
    let count = 0;
    for await (const piece of this.pieces('DESC')) {
      // Lists are read from their beginning in less time than from their end.
      const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${this.sourceOf(piece, [], 'ASC')} LIMIT ?)`;
      count += this.file.rows<{ n: number }>(sql, ...this.valuesOf(piece), most - count)[0]?.n ?? 0;
      if (count === most) break;
    }
    return count;
  }

  /** Which of some places (`seq`) fit the query, without regard to its bounds of amounts. */
  async fitting(places: readonly number[]): Promise<Set<number>> {
    const range = this.places();
    if (range === undefined || places.length === 0) return new Set();
    const terms = this.query.choices.flat().length;
    if (this.query.words !== undefined || terms > MOST_TERMS) return this.matchingAmong(places, range);
    const found = new Set<number>();
    for (let from = 0; from < places.length; from += PLACES_AT_ONCE) {
      for (const place of this.chosenAmong(places.slice(from, from + PLACES_AT_ONCE), range)) found.add(place);
    }
    return found;
  }

  /** What was chosen is told by what stands beside a place. */
  private chosenAmong(places: readonly number[], { first, last }: Places): number[] {
    const { choices } = this.query;
    if (choices.length === 0) return places.filter((place) => place >= first && place <= last);
    const conditions = choices.map((terms) => ` AND (${terms.map(() => 'instr(choices, ?) > 0').join(' OR ')})`);
    const sql = `SELECT seq FROM detail WHERE seq IN (SELECT value FROM json_each(?)) AND +seq BETWEEN ? AND ?${conditions.join('')}`;
    const terms = choices.flat().map((term) => ` ${term} `);
    return this.file.values(sql, JSON.stringify(places), BigInt(first), BigInt(last), ...terms);
  }

  /** Each part is asked once. */
  private async matchingAmong(places: readonly number[], range: Places): Promise<Set<number>> {
    const byPart = new Map<number, number[]>();
    for (const place of places) {
      const some = byPart.get(partOf(place)) ?? [];
      some.push(place);
      byPart.set(partOf(place), some);
    }
    const found = new Set<number>();
    for (const [part, some] of byPart) {
      const table = tableOf(part);
      const sql = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid BETWEEN ? AND ?
        AND +rowid IN (SELECT value FROM json_each(?))`;
      const values = [this.match, BigInt(range.first), BigInt(range.last), JSON.stringify(some)];
      for (const seq of this.file.values<number>(sql, ...values)) found.add(seq);
      await setImmediate();
    }
    return found;
  }

  /**
   * FTS5 walks its lists in the order of places, so nothing is sorted. CROSS keeps the tables in this order.
   */
  private sourceOf({ part, hits }: Piece, joined: Joined, direction: Direction): string {
    const hasMatch = this.match !== undefined && hits === undefined;
    const looksAtAmounts = this.amounts.length > 0 && hits === undefined;
    const table = hasMatch ? tableOf(part) : 'entry';
    const others = new Set<string>([...(looksAtAmounts ? ['entry'] : []), ...joined]);
    others.delete(table);
    const joins = [...others].map((other) => ` CROSS JOIN ${other} ON ${other}.seq = ${table}.rowid`);
    const place = hits === undefined ? 'BETWEEN ? AND ?' : 'IN (SELECT value FROM json_each(?))';
    const conditions = [
      ...(hasMatch ? [`${table} MATCH ?`] : []),
      `${table}.rowid ${place}`,
      ...(looksAtAmounts ? this.amounts.map(([condition]) => `entry.${condition}`) : []),
    ];
    return `${table}${joins.join('')} WHERE ${conditions.join(' AND ')} ORDER BY ${table}.rowid ${direction}`;
  }

  private valuesOf({ first, last, hits }: Piece): unknown[] {
    if (hits !== undefined) return [JSON.stringify(hits.filter((place) => place >= first && place <= last))];
    const values = [BigInt(first), BigInt(last), ...this.amountValues];
    return this.match === undefined ? values : [this.match, ...values];
  }

  private async *pieces(direction: Direction): AsyncGenerator<Piece> {
    const range = this.places();
    if (range === undefined) return;
    const hits = await this.fewHits();
    const pieces = hits === null ? this.piecesOf(range, direction) : [{ part: 0, ...range, hits }];
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await setImmediate();
      yield piece;
    }
  }

  private piecesOf(range: Places, direction: Direction): Piece[] {
    const size = this.amounts.length > 0 ? PLACES_WITH_AMOUNTS : PLACES;
    const sql = 'SELECT number FROM part WHERE number BETWEEN ? AND ? ORDER BY number';
    const parts = this.file.rows<{ number: number }>(sql, partOf(range.first), partOf(range.last));
    const pieces = parts
      .flatMap(({ number }) =>
        Array.from({ length: PLACES / size }, (_, i): Piece => {
          const begin = number * PLACES + i * size;
          return {
            part: number,
            first: Math.max(begin, range.first),
            last: Math.min(begin + size - 1, range.last),
          };
        }),
      )
      .filter(({ first, last }) => first <= last);
    return direction === 'DESC' ? pieces.toReversed() : pieces;
  }

  private places(): Places | undefined {
    const { afterUs, beforeUs } = this.query;
    const [low] = this.file.rows<{ seq: number }>(
      'SELECT seq FROM entry WHERE us > ? ORDER BY us LIMIT 1',
      BigInt(afterUs),
    );
    const sql = 'SELECT seq FROM entry WHERE us < ? ORDER BY us DESC LIMIT 1';
    const [high] = this.file.rows<{ seq: number }>(sql, BigInt(beforeUs));
    return low === undefined || high === undefined ? undefined : { first: low.seq, last: high.seq };
  }
}

/**
 * The newest first, read from the oldest on: FTS5 looks terms up from the end of their lists in twice the time.
 * @returns undefined where there may be more
 */
function allOf<Row>(from: Source<Row>, most: number): Row[] | undefined {
  const all = from('ASC', most);
  return all.length < most ? all.toReversed() : undefined;
}
