import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type IndexQuery, matchOf } from './index-query.js';
import { partOf, PLACES, tableOf } from './parts.js';
import type { SearchFile } from './search-file.js';

/** Where amounts are bounded, so many places are looked at by one statement: it may find none that fits. */
const PLACES_WITH_AMOUNTS = 32_768;
/** So many entries with an amount between the bounds are looked up by the index of amounts, rather than each entry's amount. */
const FEW_AMOUNTS = 20_000;
/** Rows of one statement. */
const ROWS_AT_ONCE = 2_000;
/** For how long a search may hold the event loop before others have a turn. */
const HELD_MS = 5;
/** In a turn of the event loop one search goes on, however many there are: together they would hold it for as often as long. */
const oneATurn = pLimit(1);

/** Places of one part, both of them inside. */
interface Piece {
  part: number;
  first: number;
  last: number;
}

/** Reads hits, piece by piece of the index, and gives others a turn between the pieces. */
export class SearchScan {
  private heldSince = performance.now();
  private readonly match: string | undefined;
  /** Conditions for amounts, each with a value to bind. */
  private readonly amounts: [condition: string, value: string | number][];
  private isFew: boolean | undefined;

  constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
  ) {
    this.match = matchOf(query);
    this.amounts = amountConditions(query);
  }

  /** Entries with an amount between the bounds, whatever else is asked: at most `most`. */
  countAmounts(most: number): number {
    const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${this.pricedSql} LIMIT ?)`;
    return this.file.rows<{ n: number }>(sql, ...this.amountValues, most)[0]?.n ?? 0;
  }

  /** Counted when it is needed. */
  private get hasFewAmounts(): boolean {
    this.isFew ??= this.amounts.length > 0 && this.countAmounts(FEW_AMOUNTS + 1) <= FEW_AMOUNTS;
    return this.isFew;
  }

  private get isAlways(): boolean {
    return this.query.afterUs < 0 && this.query.beforeUs === Number.MAX_SAFE_INTEGER;
  }

  private get pricedSql(): string {
    const conditions = this.amounts.map(([condition]) => condition).join(' AND ');
    return `entry INDEXED BY entry_amount WHERE ${conditions}`;
  }

  private get amountValues(): (string | number)[] {
    return this.amounts.map(([, value]) => value);
  }

  /** At most so many rows with these columns of `entry`, in the order of the feed or the other way round. */
  async read<Row>(columns: string, isDescending: boolean, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const some of this.portions<Row>(columns, isDescending, () => limit - rows.length)) {
      rows.push(...some);
      if (rows.length === limit) break;
    }
    return rows;
  }

  /** The same, all of them, as they are read. @param wanted asked before each portion: at most so many */
  async *portions<Row>(
    columns: string,
    isDescending: boolean,
    wanted: () => number = () => ROWS_AT_ONCE,
  ): AsyncGenerator<Row[]> {
    for (const piece of this.pieces(isDescending)) {
      for (let left: Piece | undefined = piece; left !== undefined;) {
        const most = Math.min(wanted(), ROWS_AT_ONCE);
        const sql = `SELECT entry.seq AS seq, ${columns} FROM ${this.sourceOf(left.part, true, isDescending)} LIMIT ?`;
        const some: (Row & { seq: number })[] = this.file.rows(sql, ...this.valuesOf(left), most);
        left = some.length < most ? undefined : restOf(left, some.at(-1)?.seq ?? 0, isDescending);
        if (some.length > 0) yield some;
        await this.pause();
      }
    }
  }

  /** How many there are; counting ends at `most`. */
  async count(most: number): Promise<number> {
    if (this.match === undefined && this.amounts.length > 0 && this.isAlways) return this.countAmounts(most);
    let count = 0;
    for (const piece of this.pieces(true)) {
      const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${this.sourceOf(piece.part, this.looksAtAmounts, true)} LIMIT ?)`;
      count += this.file.rows<{ n: number }>(sql, ...this.valuesOf(piece), most - count)[0]?.n ?? 0;
      if (count === most) break;
      await this.pause();
    }
    return count;
  }

  /** Which of these places fit, whatever their amounts. Each part is asked once. */
  async fitting(places: readonly number[]): Promise<Set<number>> {
    const [range, match] = [this.places(), this.match];
    if (range === undefined || match === undefined) return new Set(range === undefined ? [] : places);
    const byPart = new Map<number, number[]>();
    for (const place of places) {
      const some = byPart.get(partOf(place)) ?? [];
      some.push(place);
      byPart.set(partOf(place), some);
    }
    const found = new Set<number>();
    for (const [part, some] of byPart) {
      const table = tableOf(part);
      const sql = `SELECT rowid AS seq FROM ${table} WHERE ${table} MATCH ? AND rowid BETWEEN ? AND ?
        AND +rowid IN (SELECT value FROM json_each(?))`;
      const values = [match, BigInt(range.first), BigInt(range.last), JSON.stringify(some)];
      for (const { seq } of this.file.rows<{ seq: number }>(sql, ...values)) found.add(seq);
      await this.pause();
    }
    return found;
  }

  /** Lets others have a turn where it is time. */
  async pause(): Promise<void> {
    if (performance.now() - this.heldSince < HELD_MS) return;
    await oneATurn(() => turn());
    this.heldSince = performance.now();
  }

  /** Whether amounts are read from the entries that fit all else. */
  private get looksAtAmounts(): boolean {
    return this.amounts.length > 0 && !this.hasFewAmounts;
  }

  /**
   * FTS5 walks its lists in the order of places, so nothing is sorted. CROSS keeps the tables in this order. With the plus sign it does not look
   * for one place after the other, each time from the beginning of a list.
   */
  private sourceOf(part: number, hasEntries: boolean, isDescending: boolean): string {
    const order = isDescending ? 'DESC' : 'ASC';
    const also = this.looksAtAmounts ? this.amounts.map(([condition]) => ` AND entry.${condition}`).join('') : '';
    const among = `IN (SELECT seq FROM ${this.pricedSql} AND seq BETWEEN ? AND ?)`;
    if (this.match === undefined) {
      const few = this.hasFewAmounts ? ` AND seq ${among}` : '';
      return `entry WHERE seq BETWEEN ? AND ?${also}${few} ORDER BY seq ${order}`;
    }
    const table = tableOf(part);
    const entries = hasEntries ? ` CROSS JOIN entry ON entry.seq = ${table}.rowid` : '';
    const few = this.hasFewAmounts ? ` AND +${table}.rowid ${among}` : '';
    return `${table}${entries} WHERE ${table} MATCH ? AND ${table}.rowid BETWEEN ? AND ?${also}${few} ORDER BY ${table}.rowid ${order}`;
  }

  private valuesOf({ first, last }: Piece): unknown[] {
    const places = [BigInt(first), BigInt(last)];
    const values = [...places, ...this.amountValues, ...(this.hasFewAmounts ? places : [])];
    return this.match === undefined ? values : [this.match, ...values];
  }

  private *pieces(isDescending: boolean): Generator<Piece> {
    const range = this.places();
    if (range === undefined) return;
    const size = this.looksAtAmounts ? PLACES_WITH_AMOUNTS : PLACES;
    const sql = 'SELECT number FROM part WHERE number BETWEEN ? AND ? ORDER BY number';
    const parts = this.file.rows<{ number: number }>(sql, partOf(range.first), partOf(range.last));
    for (const { number } of isDescending ? parts.toReversed() : parts) {
      const begins = Array.from({ length: PLACES / size }, (_, i) => number * PLACES + i * size);
      for (const begin of isDescending ? begins.toReversed() : begins) {
        const piece = {
          part: number,
          first: Math.max(begin, range.first),
          last: Math.min(begin + size - 1, range.last),
        };
        if (piece.first <= piece.last) yield piece;
      }
    }
  }

  private places(): { first: number; last: number } | undefined {
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

/** Amounts are bounded in one currency. */
function amountConditions({ currency, from, to }: IndexQuery): [condition: string, value: string | number][] {
  if (currency === undefined || (from === undefined && to === undefined)) return [];
  const conditions: [string, string | number][] = [['currency = ?', currency]];
  if (from !== undefined) conditions.push([`amount ${from.isInside ? '>=' : '>'} ?`, from.amount]);
  if (to !== undefined) conditions.push([`amount ${to.isInside ? '<=' : '<'} ?`, to.amount]);
  return conditions;
}

function restOf(piece: Piece, seq: number, isDescending: boolean): Piece | undefined {
  const rest = isDescending ? { ...piece, last: seq - 1 } : { ...piece, first: seq + 1 };
  return rest.first <= rest.last ? rest : undefined;
}
