import { Injectable } from '@nestjs/common';
import type { AmountSum, DayCounts, QueryTotals } from '../database/search/index-answers.js';
import type { Caller } from '../http/caller.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import { lastDays, lastMonths } from './calendar.js';
import { indexQueryOf, type SearchQuery } from './search-query.js';

/** How many of the listed assets were created in a day or month, and how many were last changed in it. */
export interface Changes {
  /** `2026-11-21`, or the month, `2026-11`; in the registry's time zone. */
  when: string;
  created: number;
  changed: number;
}

export interface ChangesOfMonth extends Changes {
  /** Amounts of what was last changed in it, by currency. */
  value: readonly AmountSum[];
}

/** What is counted of the hits of a search, as of one moment of the index. */
export interface Counted extends Omit<QueryTotals, 'created' | 'changed' | 'months' | 'readHits'> {
  /** The index's watermark; -1 before the first change. Microseconds. */
  indexedUs: number;
  /** Whether the index had everything that was visible before. */
  isComplete: boolean;
  /** Each of the last ones, the oldest first; the last one is today. */
  days: readonly Changes[];
  months: readonly ChangesOfMonth[];
}

const DAYS = 30;
const MONTHS = 24;
/** Counting a hit takes about as long as printing this many bytes. Rate limits charge it as such. */
const BYTES_PER_HIT = 50;

/** Numbers of the whole registry or of a search, counted by the index: no asset is read for them. Source: contract section 11. */
@Injectable()
export class Statistics {
  constructor(
    private readonly search: AssetSearch,
    private readonly time: RegistryTime,
  ) {}

  /**
   * Whatever was acknowledged before is counted, unless `isComplete` says that the index is not that far yet.
   * @returns undefined where there is no index, or one of another history
   * @throws ApiError 503 while the database is away, or where the client has gone
   */
  async read(query: SearchQuery, caller: Pick<Caller, 'isGone' | 'chargeWork'>): Promise<Counted | undefined> {
    const read = await this.search.read<QueryTotals>({ count: indexQueryOf(query, false) }, caller);
    if (read === undefined) return undefined;
    const { value, indexedUs, isComplete } = read;
    const { created, changed, months: amounts, readHits, ...totals } = value;
    caller.worked(readHits * BYTES_PER_HIT);
    // Instants of changes may be a little ahead of this machine's clock, and none is after today.
    const today = this.time.day(Math.max(Date.now() * 1_000, indexedUs));
    const days = changesOf(lastDays(today, DAYS), [new Map(created), new Map(changed)]);
    const months = changesOf(lastMonths(today, MONTHS), [monthly(created), monthly(changed)]);
    return { ...totals, indexedUs, isComplete, days, months: months.map((one) => withAmounts(one, amounts)) };
  }
}

/** @param whens the oldest first */
function changesOf(
  whens: readonly string[],
  [created, changed]: readonly [ReadonlyMap<number, number>, ReadonlyMap<number, number>],
): Changes[] {
  return whens.map((when) => {
    const number = numberOf(when);
    return { when, created: created.get(number) ?? 0, changed: changed.get(number) ?? 0 };
  });
}

function withAmounts(changes: Changes, amounts: QueryTotals['months']): ChangesOfMonth {
  const number = numberOf(changes.when);
  return { ...changes, value: amounts.filter(({ month }) => month === number) };
}

function monthly(days: DayCounts): Map<number, number> {
  const months = new Map<number, number>();
  for (const [day, n] of days) {
    const month = Math.floor(day / 100);
    months.set(month, (months.get(month) ?? 0) + n);
  }
  return months;
}

/** `2026-11-21` as 20261121, and `2026-11` as 202611. */
function numberOf(when: string): number {
  return Number(when.replaceAll('-', ''));
}
