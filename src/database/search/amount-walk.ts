import { setImmediate } from 'node:timers/promises';
import { type IndexHit, type IndexPageQuery, type IndexQuery, isAnyPriced } from './index-query.js';
import type { SearchFile } from './search-file.js';
import { SearchScan } from './search-scan.js';

/** Places that are looked at in one statement, where what was chosen stands beside them: few at first, then more and more. */
const ON_THE_WAY = { first: 64, most: 2_048 };
/** Where words were typed: FTS5 reads its lists from the beginning for each of these, however few they are. */
const ON_THE_WAY_WITH_WORDS = { first: 20_000, most: 20_000 };

interface Place {
  amount: number;
  seq: number;
}

/** Hits in the order of their amounts: many are met often on the way along all amounts of the currency. */
export class AmountWalk {
  private readonly scan: SearchScan;
  /** Whether whatever is met between the bounds is a hit. */
  private readonly isEachHit: boolean;

  constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
    private readonly page: Omit<IndexPageQuery, 'isByAmount'>,
    /** Whose entries are all hits; undefined: entries of any are asked whether they fit. */
    private readonly facets?: readonly number[],
  ) {
    // Whatever is met on the way has the currency. The list of all that have it makes others shorter where they are few.
    const currencyTerm = isOfMost(file, query.currency) ? undefined : query.currencyTerm;
    this.scan = new SearchScan(file, { ...query, currencyTerm });
    this.isEachHit = facets !== undefined || isAnyPriced(query);
  }

  async hits(): Promise<IndexHit[]> {
    return (await this.hitsWithin(Infinity)) as IndexHit[];
  }

  /** @param onTheWay places that may be looked at @returns undefined where there may be more hits behind them */
  async hitsWithin(onTheWay: number): Promise<IndexHit[] | undefined> {
    const hits: IndexHit[] = [];
    const { first, most } = this.query.words === undefined ? ON_THE_WAY : ON_THE_WAY_WITH_WORDS;
    let at = this.firstPlace();
    for (let [count, left] = [first, onTheWay]; left > 0; left -= count, count = Math.min(2 * count, most)) {
      const places = this.next(at, count);
      hits.push(...(await this.hitsAmong(places, this.page.limit - hits.length)));
      at = places.at(-1) ?? at;
      if (places.length < count || hits.length === this.page.limit || this.isBeyond(at.amount)) return hits;
      await setImmediate();
    }
    return undefined;
  }

  /** The index of amounts is read alone; entries are read of hits. */
  private async hitsAmong(places: readonly Place[], most: number): Promise<IndexHit[]> {
    const inside = places.filter(({ amount }) => this.isInside(amount)).map(({ seq }) => seq);
    const fitting = this.isEachHit ? new Set(inside) : await this.scan.fitting(inside);
    const fit = inside.filter((seq) => fitting.has(seq)).slice(0, most);
    return entriesAt(this.file, fit);
  }

  private next(at: Place, most: number): Place[] {
    if (this.facets === undefined) return this.nextOf('entry_amount', [], at, most);
    const all = this.facets.flatMap((facet) => this.nextOf('entry_facet', [facet], at, most));
    const sign = this.page.direction === 'DESC' ? -1 : 1;
    return all.toSorted((a, b) => sign * (a.amount - b.amount || a.seq - b.seq)).slice(0, most);
  }

  private nextOf(index: string, facet: readonly number[], at: Place, most: number): Place[] {
    const { direction } = this.page;
    const way = direction === 'DESC' ? '<' : '>';
    const ofFacet = facet.length === 0 ? '' : 'facet = ? AND ';
    const read = (condition: string, left: number, ...values: unknown[]): Place[] => {
      const sql = `SELECT seq, amount FROM entry INDEXED BY ${index} WHERE ${ofFacet}currency = ? AND ${condition}
        ORDER BY amount ${direction}, seq ${direction} LIMIT ?`;
      return this.file.rows(sql, ...facet, this.query.currency, ...values, left);
    };
    // In two steps: in one, SQLite would pass over all entries of the same amount that lie before the place.
    const same = read(`amount = ? AND seq ${way} ?`, most, at.amount, BigInt(at.seq));
    return same.length === most ? same : [...same, ...read(`amount ${way} ?`, most - same.length, at.amount)];
  }

  /** Where the way begins: behind the cursor, or before the first amount that may be found. */
  private firstPlace(): Place {
    const { after, direction } = this.page;
    const { from, to } = this.query;
    if (after?.amount !== undefined) return { amount: after.amount, seq: this.placeOf(after.us) };
    if (direction === 'DESC') return { amount: to?.amount ?? Number.MAX_VALUE, seq: Number.MAX_SAFE_INTEGER };
    return { amount: from?.amount ?? -1, seq: -1 };
  }

  /** The entry at an instant may have gone since: it is passed over, with none beside it. */
  private placeOf(us: number): number {
    const isDescending = this.page.direction === 'DESC';
    const sql = isDescending
      ? 'SELECT seq FROM entry WHERE us >= ? ORDER BY us LIMIT 1'
      : 'SELECT seq FROM entry WHERE us <= ? ORDER BY us DESC LIMIT 1';
    const none = isDescending ? Number.MAX_SAFE_INTEGER : -1;
    return this.file.rows<{ seq: number }>(sql, BigInt(us))[0]?.seq ?? none;
  }

  private isInside(amount: number): boolean {
    const { from, to } = this.query;
    const isAbove = from === undefined || amount > from.amount || (from.isInside && amount === from.amount);
    return isAbove && (to === undefined || amount < to.amount || (to.isInside && amount === to.amount));
  }

  /** Whether an amount lies behind the last one that may be found. */
  private isBeyond(amount: number): boolean {
    const { from, to } = this.query;
    return this.page.direction === 'DESC'
      ? from !== undefined && amount < from.amount
      : to !== undefined && amount > to.amount;
  }
}

/** Whether most of the values are in a currency. */
function isOfMost(file: SearchFile, currency: string | undefined): boolean {
  const sql = "SELECT 2 * SUM(entries * (key = ?)) > SUM(entries) AS isMost FROM tally WHERE kind = 'value'";
  return file.rows<{ isMost: number | null }>(sql, currency)[0]?.isMost === 1;
}

/** The hits at these places, in this order. */
export function entriesAt(file: SearchFile, places: readonly number[]): Required<IndexHit>[] {
  const sql = `SELECT entry.seq AS seq, id, us AS modifiedUs, amount FROM entry CROSS JOIN detail USING (seq)
    WHERE entry.seq IN (SELECT value FROM json_each(?))`;
  const entries = file.rows<Required<IndexHit> & { seq: number }>(sql, JSON.stringify(places));
  const byPlace = new Map(entries.map(({ seq, ...hit }) => [seq, hit]));
  return places.map((seq) => byPlace.get(seq) as Required<IndexHit>);
}
