import { Injectable } from '@nestjs/common';
import type { AmountSum, DayCounts, QueryTotals } from '../database/search/index-answers.js';
import type { Caller } from '../http/caller.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import { lastDays, lastMonths } from './calendar.js';
import { indexQueryOf, type SearchQuery } from './search-query.js';

/** Listed assets created, and last changed, in a day or month. */
export interface Changes {
  /** `2026-11-21` or `2026-11`, in the registry's time zone. */
  when: string;
  created: number;
  changed: number;
}

export interface MonthChanges extends Changes {
  /** Amounts of the assets last changed in it, by currency. */
  value: readonly AmountSum[];
}

/** Statistics of the hits of a search, at one moment of the index. */
export interface SearchStatistics extends Omit<QueryTotals, 'created' | 'changed' | 'months' | 'readHits'> {
  /** The index's watermark in microseconds; -1 before the first change. */
  indexedUs: number;
  /** Whether the index had everything that was visible at the call. */
  isComplete: boolean;
  /** Without gaps up to today, oldest first. */
  days: readonly Changes[];
  months: readonly MonthChanges[];
}

const DAYS = 30;
const MONTHS = 24;
/** Cost of counting a hit for the rate limits, in bytes of a printed answer. */
const BYTES_PER_HIT = 50;

/** Statistics of the registry or of a search, from the index alone. Source: contract section 11. */
@Injectable()
export class Statistics {
  constructor(
    private readonly search: AssetSearch,
    private readonly time: RegistryTime,
  ) {}

  /**
   * Counts every write acknowledged before the call, unless `isComplete` is false.
   * @returns undefined if there is no index, or it follows another epoch
   * @throws ApiError 503 while the database is down, or if the client has disconnected
   */
  async read(query: SearchQuery, caller: Pick<Caller, 'isGone' | 'chargeWork'>): Promise<SearchStatistics | undefined> {
    const read = await this.search.read<QueryTotals>({ count: indexQueryOf(query, false) }, caller);
    if (read === undefined) return undefined;
    const { value, indexedUs, isComplete } = read;
    const { created, changed, months: amounts, readHits, ...totals } = value;
    caller.chargeWork(readHits * BYTES_PER_HIT);
    // Instants may be slightly ahead of this machine's clock; no change may be later than today.
    const today = this.time.day(Math.max(Date.now() * 1_000, indexedUs));
    const days = changesOf(lastDays(today, DAYS), [new Map(created), new Map(changed)]);
    const months = changesOf(lastMonths(today, MONTHS), [monthly(created), monthly(changed)]);
    return { ...totals, indexedUs, isComplete, days, months: months.map((one) => withAmounts(one, amounts)) };
  }
}

/** @param whens oldest first */
function changesOf(
  whens: readonly string[],
  [created, changed]: readonly [ReadonlyMap<number, number>, ReadonlyMap<number, number>],
): Changes[] {
  return whens.map((when) => {
    const number = numberOf(when);
    return { when, created: created.get(number) ?? 0, changed: changed.get(number) ?? 0 };
  });
}

function withAmounts(changes: Changes, amounts: QueryTotals['months']): MonthChanges {
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
