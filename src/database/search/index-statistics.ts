import { ExactSum, printMedian } from './exact-amounts.ts';
import { countFacets, type Facet, MAX_FACETS } from './facet-counts.ts';
import type { DayCounts, FacetCounts, QueryTotals } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import type { IndexQuery } from './index-query.ts';
import type { IndexSearch } from './index-search.ts';
import type { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';
import type { Counted, CountCache } from './count-cache.ts';

const COLUMNS = 'facet, created_day, changed_day, currency, amount, whole, nano';

type Amount = [currency: string, amount: number, whole: number, nano: number];
type Row = [facet: number, createdDay: number, changedDay: number, ...amount: Amount | [null]];

interface Parts {
  file: IndexFile;
  search: IndexSearch;
  totals: IndexTotals;
  cache: CountCache;
}

/** Counts all hits of a query. */
export class IndexStatistics {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Counts the whole registry by indexes, and the hits of a search one by one, about a second per million. */
  count(query: IndexQuery | undefined, position: IndexPosition): Counted<QueryTotals> {
    if (query !== undefined && isEverything(query)) return this.parts.totals.withMedians(position);
    let readHits = 0;
    const { us, value } = this.parts.cache.getOrCount(JSON.stringify(query ?? null), position, () => {
      const counted = this.countHits(query);
      readHits = counted.total;
      return counted;
    });
    return { us, value: { ...value, readHits } };
  }

  private countHits(query: IndexQuery | undefined): Omit<QueryTotals, 'readHits'> {
    const { file, search } = this.parts;
    const hits = query && search.hits(query);
    const counts = new HitCounts();
    if (hits !== undefined) {
      const sql = `SELECT ${COLUMNS} FROM (${hits.sql}) CROSS JOIN entry ON seq = hit`;
      for (const row of file.each<Row>(sql, ...hits.values)) counts.add(row);
    }
    return { ...counts.print(), ...this.facetsOf(counts.facets) };
  }

  private facetsOf(counts: ReadonlyMap<number, number>): FacetCounts {
    const byCount = [...counts].toSorted(([, n], [, m]) => m - n);
    const facets = byCount.map(([number, n], i): Facet => {
      const [facet] = this.parts.file.rows<Facet>('SELECT status, type, regions FROM facet WHERE number = ?', number);
      return i < MAX_FACETS ? { ...(facet as Facet), n } : { ...(facet as Facet), n, regions: '[]' };
    });
    return countFacets(facets);
  }
}

/** Accumulates the counts of hits. */
class HitCounts {
  readonly facets = new Map<number, number>();
  private total = 0;
  private readonly created = new Map<number, number>();
  private readonly changed = new Map<number, number>();
  private readonly currencies = new Map<string, { sum: ExactSum; amounts: number[]; months: Map<number, ExactSum> }>();

  add([facet, createdDay, changedDay, ...amount]: Row): void {
    this.total++;
    increment(this.facets, facet);
    increment(this.created, createdDay);
    increment(this.changed, changedDay);
    if (amount[0] !== null) this.addAmount(amount as Amount, Math.floor(changedDay / 100));
  }

  private addAmount([currency, amount, whole, nano]: Amount, month: number): void {
    const known = this.currencies.get(currency) ?? {
      sum: new ExactSum(),
      amounts: [],
      months: new Map<number, ExactSum>(),
    };
    const ofMonth = known.months.get(month) ?? new ExactSum();
    known.sum.add(whole, nano);
    known.amounts.push(amount);
    ofMonth.add(whole, nano);
    known.months.set(month, ofMonth);
    this.currencies.set(currency, known);
  }

  print(): Omit<QueryTotals, keyof FacetCounts | 'readHits'> {
    const byName = [...this.currencies].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const value = byName.map(([currency, { sum, amounts }]) => ({
      currency,
      ...printed(sum),
      median: medianOf(amounts),
    }));
    const months = byName.flatMap(([currency, one]) =>
      [...one.months].map(([month, sum]) => ({ month, currency, ...printed(sum) })),
    );
    return { total: this.total, value, months, created: byDay(this.created), changed: byDay(this.changed) };
  }
}

function isEverything({ facets, choices }: IndexQuery): boolean {
  return facets !== undefined && choices.length === 0;
}

function increment(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function printed({ sum, count }: ExactSum): { sum: string; count: number } {
  return { sum, count };
}

/** @param amounts at least one */
function medianOf(amounts: readonly number[]): string {
  const sorted = Float64Array.from(amounts).sort();
  const middle = (sorted.length - 1) / 2;
  return printMedian(sorted[Math.floor(middle)] as number, sorted[Math.ceil(middle)] as number);
}

function byDay(days: ReadonlyMap<number, number>): DayCounts {
  return [...days].toSorted(([a], [b]) => a - b);
}
