import { countFacets, type Facet } from './facet-counts.ts';
import type { DayCounts, FacetCounts, Totals } from './index-answers.ts';
import type { IndexFile } from './index-file.ts';
import type { ChosenFacets } from './index-query.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** Combinations of a state, a type and regions that are looked at: brokers can make very many. */
const MAX_FACETS = 5_000;
/** What is counted of more entries is kept for some seconds, though the index goes on meanwhile. */
const LARGE = 100_000;
const KEPT_MS = 5_000;
const NANOS = 1_000_000_000n;
const MILLION = 1_000_000n;

/** Counted at the instant `us` of the index. */
export interface Counted<Value> {
  us: number;
  value: Value;
}

export class IndexTotals {
  private readonly file: IndexFile;
  private readonly kept = new Map<string, { position: IndexPosition; madeMs: number; value: unknown }>();

  constructor(file: IndexFile) {
    this.file = file;
  }

  /** @returns undefined where there are too many combinations to look at each */
  facets(chosen: ChosenFacets, position: IndexPosition): Counted<{ count: number; facets: FacetCounts }> | undefined {
    const { us, value } = this.keep('facets', position, () => this.readFacets());
    if (value.length > MAX_FACETS) return undefined;
    const facets = value.filter((facet) => isChosen(chosen, facet));
    return { us, value: { count: sumOf(facets), facets: countFacets(facets) } };
  }

  totals(position: IndexPosition): Counted<Totals> {
    return this.keep('totals', position, () => {
      const states = this.file.rows<Omit<Facet, 'regions'>>(
        `SELECT status, type, SUM(n) AS n FROM (SELECT facet, COUNT(*) AS n FROM entry GROUP BY facet)
         CROSS JOIN facet ON number = facet GROUP BY status, type`,
      );
      const { status, assetType } = countFacets(states.map((one) => ({ ...one, regions: '[]' })));
      const { region } = countFacets(this.readFacets().slice(0, MAX_FACETS));
      const [created, changed] = [this.days('created_day'), this.days('changed_day')];
      return { total: sumOf(states), status, assetType, region, value: this.sums(), created, changed };
    });
  }

  /** The most frequent ones, and one more where there are more. */
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
   * Sums are exact. Units are summed in two parts, as all together may be more than an integer of SQLite's. The table is read in its own order:
   * by the index of amounts that takes more than twice as long.
   */
  private sums(): Totals['value'] {
    const sums = this.file.rows<{ currency: string; count: number; millions: string; units: string; nanos: string }>(
      `SELECT currency, COUNT(*) AS count, CAST(SUM(whole / 1000000) AS TEXT) AS millions,
         CAST(SUM(whole % 1000000) AS TEXT) AS units, CAST(SUM(nano) AS TEXT) AS nanos
       FROM entry NOT INDEXED WHERE currency IS NOT NULL GROUP BY currency ORDER BY currency`,
    );
    return sums.map(({ currency, count, millions, units, nanos }) => {
      const sum = (BigInt(millions) * MILLION + BigInt(units)) * NANOS + BigInt(nanos);
      const parts = String(sum % NANOS)
        .padStart(9, '0')
        .replace(/0+$/, '');
      return { currency, count, sum: `${sum / NANOS}.${parts || '0'}` };
    });
  }

  private keep<T>(name: string, position: IndexPosition, make: () => T): Counted<T> {
    const known = this.kept.get(name);
    if (known !== undefined && this.isGood(known.position, known.madeMs, position))
      return { us: known.position.us, value: known.value as T };
    const value = make();
    this.kept.set(name, { position, madeMs: performance.now(), value });
    return { us: position.us, value };
  }

  private isGood({ epoch, us, fromUs }: IndexPosition, madeMs: number, now: IndexPosition): boolean {
    if (epoch !== now.epoch || fromUs !== now.fromUs || us > now.us) return false;
    if (us === now.us) return true;
    const size = this.file.value<number | null>('SELECT MAX(seq) - MIN(seq) FROM entry') ?? 0;
    return size > LARGE && performance.now() - madeMs < KEPT_MS;
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
