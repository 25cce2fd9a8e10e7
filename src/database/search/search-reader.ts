import { setImmediate as turn } from 'node:timers/promises';
import type { IndexPosition } from './indexed-asset.js';
import { partOf, tableOf } from './parts.js';
import type { SearchFile } from './search-file.js';

/** What is looked for. Instants are microseconds; both bounds are outside of it. */
export interface IndexRange {
  /** In the language of FTS5; undefined: everything. */
  match: string | undefined;
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
}

export interface IndexHit {
  id: string;
  modifiedUs: number;
}

/** Comes after every other in the order of bytes. */
const LAST_CHARACTER = '\u{10ffff}';
/** Of regions that begin alike, so many are compared: brokers write as many as they like. */
const MOST_COMPARED = 1_000;
/** For how long a search may hold the event loop before others have a turn. */
const HELD_MS = 5;

/** Reads the index: one search after the other on this connection, each of one moment of it. */
export class SearchReader {
  constructor(private readonly file: SearchFile) {}

  /** @returns the hits in the order of the feed, or the other way round, and up to where the index had followed it */
  async find(range: IndexRange): Promise<{ hits: IndexHit[]; position: IndexPosition }> {
    this.file.begin();
    try {
      const [position] = this.file.rows<IndexPosition>('SELECT epoch, us FROM state');
      const hits = range.match === undefined ? this.list(range) : await this.match(range.match, range);
      return { hits, position: position as IndexPosition };
    } finally {
      this.file.end();
    }
  }

  /** Which feed the index has followed. */
  get epoch(): string | undefined {
    return this.file.rows<IndexPosition>('SELECT epoch FROM state')[0]?.epoch;
  }

  /** Names of those that most entries have, the most frequent first. */
  regions(limit: number): string[] {
    const sql = 'SELECT name FROM region ORDER BY entries DESC, key LIMIT ?';
    return this.file.rows<{ name: string }>(sql, limit).map(({ name }) => name);
  }

  /** The region with a key; where there is none, of the first thousand whose keys begin so, the most frequent. An empty key is that of none. */
  regionsLike(key: string, limit: number): string[] {
    if (key === '') return [];
    if (this.file.rows('SELECT 1 FROM region WHERE key = ?', key).length > 0) return [key];
    const alike = 'SELECT key, entries FROM region WHERE key > ? AND key < ? ORDER BY key LIMIT ?';
    const sql = `SELECT key FROM (${alike}) ORDER BY entries DESC, key LIMIT ?`;
    return this.file
      .rows<{ key: string }>(sql, key, key + LAST_CHARACTER, MOST_COMPARED, limit)
      .map((region) => region.key);
  }

  private list({ afterUs, beforeUs, newestFirst, limit }: IndexRange): IndexHit[] {
    const sql = `SELECT id, us AS modifiedUs FROM entry WHERE us > ? AND us < ? ORDER BY us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
    return this.file.rows<IndexHit>(sql, BigInt(afterUs), BigInt(beforeUs), limit);
  }

  private async match(match: string, range: IndexRange): Promise<IndexHit[]> {
    const [first, last] = [this.firstAfter(range.afterUs), this.lastBefore(range.beforeUs)];
    const hits: IndexHit[] = [];
    if (first === undefined || last === undefined) return hits;
    let heldSince = performance.now();
    for (const part of this.parts(partOf(first), partOf(last), range.newestFirst)) {
      const sql = matchSql(part, range.newestFirst);
      hits.push(...this.file.rows<IndexHit>(sql, match, BigInt(first), BigInt(last), range.limit - hits.length));
      if (hits.length >= range.limit) break;
      if (performance.now() - heldSince < HELD_MS) continue;
      await turn();
      heldSince = performance.now();
    }
    return hits;
  }

  private parts(first: number, last: number, newestFirst: boolean): number[] {
    const sql = 'SELECT number FROM part WHERE number BETWEEN ? AND ? ORDER BY number';
    const numbers = this.file.rows<{ number: number }>(sql, first, last).map(({ number }) => number);
    return newestFirst ? numbers.toReversed() : numbers;
  }

  private firstAfter(us: number): number | undefined {
    const sql = 'SELECT seq FROM entry WHERE us > ? ORDER BY us LIMIT 1';
    return this.file.rows<{ seq: number }>(sql, BigInt(us))[0]?.seq;
  }

  private lastBefore(us: number): number | undefined {
    const sql = 'SELECT seq FROM entry WHERE us < ? ORDER BY us DESC LIMIT 1';
    return this.file.rows<{ seq: number }>(sql, BigInt(us))[0]?.seq;
  }

  close(): void {
    this.file.close();
  }
}

/** FTS5 walks its lists in the order of places, so a page is read and nothing sorted. CROSS keeps the tables in this order. */
function matchSql(part: number, newestFirst: boolean): string {
  const table = tableOf(part);
  return `SELECT entry.id, entry.us AS modifiedUs FROM ${table} CROSS JOIN entry ON entry.seq = ${table}.rowid
    WHERE ${table} MATCH ? AND ${table}.rowid BETWEEN ? AND ? ORDER BY ${table}.rowid ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
}
