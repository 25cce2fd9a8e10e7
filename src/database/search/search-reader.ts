import type { IndexPosition } from './indexed-asset.js';
import { AmountWalk, entriesAt } from './amount-walk.js';
import { isBounded } from './amounts.js';
import { type Direction, type IndexHit, type IndexPageQuery, type IndexQuery, isAnyPriced } from './index-query.js';
import type { SearchFile } from './search-file.js';
import type { PricedPlace } from './parts.js';
import { SearchScan } from './search-scan.js';
import { choiceKey, type TallyKind } from './tallies.js';
import { countEach, type Facet, WholeFacets } from './whole-facets.js';

export type { Facet } from './whole-facets.js';

/** Hits are counted up to here, and looked at for counts of what may be chosen. */
export const MOST_COUNTED = 10_000;
/** Rows that are read to walk along the amounts of several facets together, as many of each as are wanted of all: with more, all amounts are. */
const MOST_WALKED = 2_048;
/** Read of a kind at once: there are fewer currencies, and fewer days that anybody asks for. */
const MOST_TALLIES = 1_000;
/** Keys are ASCII. */
const LAST_KEY = '~';

/** Entries that were counted as they came and went. */
interface Tally {
  key: string;
  entries: number;
  /** Exact sum of the amounts (see printSum). */
  sum: string;
}

interface FirstPage {
  hits: readonly IndexHit[];
  direction: Direction;
}

/** Reads the index: one search after the other on this connection, each of one moment of it. */
export class SearchReader {
  constructor(private readonly file: SearchFile) {}

  /** What is read until the end of `work` is of one moment: also says up to where the index had followed the feed. */
  async inReadTransaction<T>(work: (position: IndexPosition) => Promise<T>): Promise<T> {
    this.file.begin();
    try {
      const [position] = this.file.rows<IndexPosition>('SELECT epoch, us FROM state');
      return await work(position as IndexPosition);
    } finally {
      this.file.end();
    }
  }

  /**
   * MOST_COUNTED at most, and one more where there are more.
   * @param page and hits of the first one in the order of the feed, where it was read: what lies behind it is left to be counted
   */
  async count(query: IndexQuery, page?: FirstPage): Promise<number> {
    const whole = WholeFacets.of(this.file, query);
    if (whole !== undefined) return whole.count(MOST_COUNTED + 1);
    const [read, last] = [page?.hits.length ?? 0, page?.hits.at(-1)];
    if (read > MOST_COUNTED) return MOST_COUNTED + 1;
    // Between bounds of amounts few may be found by these, in the whole feed alone.
    if (page === undefined || last === undefined || isBounded(query))
      return new SearchScan(this.file, query).count(MOST_COUNTED + 1);
    const left = behind(query, page.direction, last.modifiedUs);
    return read + (await new SearchScan(this.file, left).count(MOST_COUNTED + 1 - read));
  }

  /**
   * Of the newest MOST_COUNTED hits; of all, where nothing but facets was chosen.
   * @param count of the hits, as `count` tells
   * @param all of them, where they were read
   */
  async *facets(query: IndexQuery, count: number, all?: readonly IndexHit[]): AsyncGenerator<Facet> {
    if (count === 0) return;
    const isCounted = count <= MOST_COUNTED || query.currency === undefined;
    const whole = isCounted ? WholeFacets.of(this.file, query) : undefined;
    if (whole !== undefined) return yield* whole.counts();
    const only = WholeFacets.only(this.file, query);
    if (only !== undefined) return yield { ...only, n: Math.min(count, MOST_COUNTED) };
    const counts = all === undefined ? await new SearchScan(this.file, query).facets(MOST_COUNTED) : this.facetsOf(all);
    const sql = 'SELECT status, type, regions FROM facet WHERE number = ?';
    for (const [number, n] of counts) yield { ...(this.file.rows(sql, number)[0] as Omit<Facet, 'n'>), n };
  }

  /** Counts by the number of a facet. */
  private facetsOf(hits: readonly IndexHit[]): Map<number, number> {
    const sql = 'SELECT facet FROM entry WHERE us IN (SELECT value FROM json_each(?))';
    return countEach(this.file.values<number>(sql, JSON.stringify(hits.map(({ modifiedUs }) => modifiedUs))));
  }

  /** @param count of the hits, as `count` tells */
  hits(query: IndexQuery, page: IndexPageQuery, count: number): Promise<IndexHit[]> {
    return page.isByAmount ? this.inOrderOfAmounts(query, page, count) : this.inOrderOfFeed(query, page);
  }

  /**
   * Along the amounts until there is a page of hits, or by reading all hits where they are few: then at most as many entries are met on the
   * way first. With words that costs more than what it may spare.
   */
  private async inOrderOfAmounts(query: IndexQuery, page: IndexPageQuery, count: number): Promise<IndexHit[]> {
    const walk = new AmountWalk(this.file, query, page);
    if (isAnyPriced(query)) return walk.hits();
    const whole = WholeFacets.of(this.file, query)?.numbers ?? [];
    if (whole.length > 0 && (whole.length === 1 || whole.length * page.limit <= MOST_WALKED))
      return new AmountWalk(this.file, query, page, whole).hits();
    if (count > MOST_COUNTED) return walk.hits();
    const most = Math.min(count, (count * count) / page.limit);
    const walked = query.words === undefined && count > page.limit ? await walk.hitsWithin(most) : undefined;
    return walked ?? this.best(query, page);
  }

  private inOrderOfFeed(query: IndexQuery, { direction, after, limit }: IndexPageQuery): Promise<IndexHit[]> {
    const left = after === undefined ? query : behind(query, direction, after.us);
    return new SearchScan(this.file, left).hits(direction, limit);
  }

  /** All hits are read, and the best are kept: where they are few. */
  private async best(query: IndexQuery, { direction, after, limit }: IndexPageQuery): Promise<IndexHit[]> {
    const sign = direction === 'DESC' ? -1 : 1;
    const compare = (a: Omit<PricedPlace, 'seq'>, b: Omit<PricedPlace, 'seq'>): number =>
      sign * (a.amount - b.amount || a.modifiedUs - b.modifiedUs);
    const from = after && { modifiedUs: after.us, amount: after.amount ?? 0 };
    let best: PricedPlace[] = [];
    const scan = new SearchScan(this.file, query);
    for await (const some of scan.priced(direction)) {
      const left = from === undefined ? some : some.filter((hit) => compare(hit, from) > 0);
      best = mergeSorted(best, left.toSorted(compare), compare, limit);
    }
    return entriesAt(
      this.file,
      best.map(({ seq }) => seq),
    );
  }

  /** Which feed the index has followed. */
  get epoch(): string | undefined {
    return this.file.rows<IndexPosition>('SELECT epoch FROM state')[0]?.epoch;
  }

  /** Those that most entries have, the most frequent first. */
  regions(limit: number): { key: string; name: string; entries: number }[] {
    return this.file.rows('SELECT key, name, entries FROM region ORDER BY entries DESC, key LIMIT ?', limit);
  }

  /** The names of regions by their keys, as they were written first. */
  regionName(key: string): string {
    return this.file.rows<{ name: string }>('SELECT name FROM region WHERE key = ?', key)[0]?.name ?? key;
  }

  /** What was counted of a kind, in the order of the keys: from one of them to another, both included, and at most MOST_TALLIES. */
  tallies(kind: Exclude<TallyKind, 'choice'>, from = '', to = LAST_KEY): Tally[] {
    const sql = 'SELECT key, entries, sum FROM tally WHERE kind = ? AND key >= ? AND key <= ? ORDER BY key LIMIT ?';
    return this.file.rows<Tally>(sql, kind, from, to, MOST_TALLIES);
  }

  /** Entries by the month of a day, `2026-11`: those that have any. @param from the first day, `to` the last one */
  months(kind: 'created' | 'changed', from: string, to: string): { key: string; entries: number }[] {
    const sql = `SELECT substr(key, 1, 7) AS key, SUM(entries) AS entries FROM tally
      WHERE kind = ? AND tally.key >= ? AND tally.key <= ? GROUP BY substr(key, 1, 7)`;
    return this.file.rows(sql, kind, from, to);
  }

  /** Entries by state and type, of a region or of all (empty). */
  choices(region: string): { status: string; type: string; entries: number }[] {
    const sql = "SELECT key, entries FROM tally WHERE kind = 'choice' AND key > ? AND key < ?";
    const begin = choiceKey(region, '', '').trimEnd();
    return this.file.rows<Tally>(sql, `${begin} `, `${begin}!`).map(({ key, entries }) => {
      const [, status = '', type = ''] = key.split(' ');
      return { status, type, entries };
    });
  }

  close(): void {
    this.file.close();
  }
}

/** What is left of a query behind a hit, in the order of the feed or the other way round. */
function behind(query: IndexQuery, direction: Direction, us: number): IndexQuery {
  const { afterUs, beforeUs } = query;
  const range = direction === 'DESC' ? { beforeUs: Math.min(beforeUs, us) } : { afterUs: Math.max(afterUs, us) };
  return { ...query, ...range };
}

/** The first ones of two sorted lists. */
function mergeSorted<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number, most: number): T[] {
  const merged: T[] = [];
  for (let i = 0, j = 0; merged.length < most && (i < one.length || j < other.length);) {
    const isOne = j === other.length || (i < one.length && compare(one[i] as T, other[j] as T) <= 0);
    merged.push((isOne ? one[i++] : other[j++]) as T);
  }
  return merged;
}
