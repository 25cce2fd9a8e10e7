import { countFacets, type Facet, MAX_FACETS } from './facet-counts.ts';
import { printMedian, printSum, type SumParts } from './exact-amounts.ts';
import type { DayCounts, FacetCounts, QueryTotals, Totals } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import type { ChosenFacets } from './index-query.ts';
import type { IndexPosition } from './indexed-asset.ts';
import type { Counted, CountCache } from './count-cache.ts';

const SUM_COLUMNS = `COUNT(*) AS count, CAST(SUM(whole / 1000000) AS TEXT) AS millions,
  CAST(SUM(whole % 1000000) AS TEXT) AS units, CAST(SUM(nano) AS TEXT) AS nanos`;

interface SummedRow extends SumParts {
  currency: string;
  count: number;
}

export class IndexTotals {
  private readonly file: IndexFile;
  private readonly cache: CountCache;

  constructor(file: IndexFile, cache: CountCache) {
    this.file = file;
    this.cache = cache;
  }

  /** @returns undefined if there are more than MAX_FACETS combinations */
  facets(chosen: ChosenFacets, position: IndexPosition): Counted<{ count: number; facets: FacetCounts }> | undefined {
    const { us, value } = this.cache.getOrCount('facets', position, () => this.readFacets());
    if (value.length > MAX_FACETS) return undefined;
    const facets = value.filter((facet) => isChosen(chosen, facet));
    return { us, value: { count: sumOf(facets), facets: countFacets(facets) } };
  }

  totals(position: IndexPosition): Counted<Totals> {
    return this.cache.getOrCount('totals', position, () => this.readTotals());
  }

  private readTotals(): Totals {
    const states = this.file.rows<Omit<Facet, 'regions'>>(
      `SELECT status, type, SUM(n) AS n FROM (SELECT facet, COUNT(*) AS n FROM entry GROUP BY facet)
       CROSS JOIN facet ON number = facet GROUP BY status, type`,
    );
    const { status, assetType } = countFacets(states.map((one) => ({ ...one, regions: '[]' })));
    const { region } = countFacets(this.readFacets().slice(0, MAX_FACETS));
    const [created, changed] = [this.days('created_day'), this.days('changed_day')];
    return { total: sumOf(states), status, assetType, region, value: this.sums(), created, changed };
  }

  /** The totals with medians and months. */
  withMedians(position: IndexPosition): Counted<QueryTotals> {
    return this.cache.getOrCount('everything', position, () => {
      const totals = this.readTotals();
      const months = this.file.rows<SummedRow & { month: number }>(
        `SELECT changed_day / 100 AS month, currency, ${SUM_COLUMNS}
         FROM entry NOT INDEXED WHERE currency IS NOT NULL GROUP BY month, currency`,
      );
      return {
        ...totals,
        readHits: 0,
        value: totals.value.map((one) => ({ ...one, median: this.median(one) })),
        months: months.map(({ month, currency, count, ...parts }) => ({
          month,
          currency,
          count,
          sum: printSum(parts),
        })),
      };
    });
  }

  private median({ currency, count }: Totals['value'][number]): string {
    const [lower = 0, upper = lower] = this.file.values<number>(
      'SELECT amount FROM entry INDEXED BY entry_amount WHERE currency = ? ORDER BY amount LIMIT ? OFFSET ?',
      currency,
      count % 2 === 0 ? 2 : 1,
      Math.floor((count - 1) / 2),
    );
    return printMedian(lower, upper);
  }

  /** The most frequent, at most MAX_FACETS + 1. */
  private readFacets(): Facet[] {
    return this.file.rows<Facet>(
      `SELECT status, type, regions, n FROM (SELECT facet, COUNT(*) AS n FROM entry GROUP BY facet ORDER BY n DESC LIMIT ?)
       CROSS JOIN facet ON number = facet`,
      MAX_FACETS + 1,
    );
  }

  private days(column: 'created_day' | 'changed_day'): DayCounts {
    const sql = `SELECT ${column} AS day, COUNT(*) AS n FROM entry GROUP BY ${column}`;
    return this.file.rows<{ day: number; n: number }>(sql).map(({ day, n }) => [day, n]);
  }

  /**
   * Exact sums. NOT INDEXED, because reading in the order of the index of amounts takes more than twice as long.
   */
  private sums(): Totals['value'] {
    const sums = this.file.rows<SummedRow>(
      `SELECT currency, ${SUM_COLUMNS}
       FROM entry NOT INDEXED WHERE currency IS NOT NULL GROUP BY currency ORDER BY currency`,
    );
    return sums.map(({ currency, count, ...parts }) => ({ currency, count, sum: printSum(parts) }));
  }
}

function sumOf(facets: readonly Pick<Facet, 'n'>[]): number {
  return facets.reduce((sum, { n }) => sum + n, 0);
}

function isChosen({ status, assetType, region }: ChosenFacets, facet: Facet): boolean {
  const isAny = (chosen: readonly string[], value: string): boolean => chosen.length === 0 || chosen.includes(value);
  if (!isAny(status, facet.status) || !isAny(assetType, facet.type)) return false;
  return region.length === 0 || (JSON.parse(facet.regions) as string[][]).some(([key = '']) => region.includes(key));
}
