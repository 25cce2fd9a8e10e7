import { setImmediate as turn } from 'node:timers/promises';
import { type IndexQuery, matchOf } from './index-query.js';
import { partOf, PLACES, tableOf } from './parts.js';
import type { SearchFile } from './search-file.js';

/** Where amounts are bounded, so many places are looked at by one statement: it may find none that fits. */
const PLACES_WITH_AMOUNTS = 8_192;
/** Rows of one statement. */
const ROWS_AT_ONCE = 2_000;
/** For how long a search may hold the event loop before others have a turn. */
const HELD_MS = 5;

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
  private readonly hasAmounts: boolean;

  constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
  ) {
    this.match = matchOf(query);
    this.hasAmounts = query.from !== undefined || query.to !== undefined;
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
    let count = 0;
    for (const piece of this.pieces(true)) {
      const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${this.sourceOf(piece.part, this.hasAmounts, true)} LIMIT ?)`;
      count += this.file.rows<{ n: number }>(sql, ...this.valuesOf(piece), most - count)[0]?.n ?? 0;
      if (count === most) break;
      await this.pause();
    }
    return count;
  }

  /** Lets others have a turn where it is time. */
  async pause(): Promise<void> {
    if (performance.now() - this.heldSince < HELD_MS) return;
    await turn();
    this.heldSince = performance.now();
  }

  /** FTS5 walks its lists in the order of places, so nothing is sorted. CROSS keeps the tables in this order. */
  private sourceOf(part: number, hasEntries: boolean, isDescending: boolean): string {
    const { from, to } = this.query;
    const amounts = [
      from && `entry.amount ${from.isInside ? '>=' : '>'} ?`,
      to && `entry.amount ${to.isInside ? '<=' : '<'} ?`,
    ];
    const also = amounts
      .filter(Boolean)
      .map((condition) => ` AND ${condition}`)
      .join('');
    const order = isDescending ? 'DESC' : 'ASC';
    if (this.match === undefined) return `entry WHERE seq BETWEEN ? AND ?${also} ORDER BY seq ${order}`;
    const table = tableOf(part);
    const entries = hasEntries ? ` CROSS JOIN entry ON entry.seq = ${table}.rowid` : '';
    return `${table}${entries} WHERE ${table} MATCH ? AND ${table}.rowid BETWEEN ? AND ?${also} ORDER BY ${table}.rowid ${order}`;
  }

  private valuesOf({ first, last }: Piece): unknown[] {
    const bounds = [this.query.from, this.query.to].filter((bound) => bound !== undefined);
    const places = [BigInt(first), BigInt(last), ...bounds.map(({ amount }) => amount)];
    return this.match === undefined ? places : [this.match, ...places];
  }

  private *pieces(isDescending: boolean): Generator<Piece> {
    const range = this.places();
    if (range === undefined) return;
    const size = this.hasAmounts ? PLACES_WITH_AMOUNTS : PLACES;
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

function restOf(piece: Piece, seq: number, isDescending: boolean): Piece | undefined {
  const rest = isDescending ? { ...piece, last: seq - 1 } : { ...piece, first: seq + 1 };
  return rest.first <= rest.last ? rest : undefined;
}
