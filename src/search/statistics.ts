import { Injectable } from '@nestjs/common';
import type { DayCounts, Totals } from '../database/search/index-answers.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import { lastDays, lastMonths } from './calendar.js';

/** How many of the listed assets were created in a day or month, and how many were last changed in it. */
export interface Changes {
  /** `2026-11-21`, or the month, `2026-11`; in the registry's time zone. */
  when: string;
  created: number;
  changed: number;
}

/** What is counted over all listed assets, of one moment of the index. */
export interface Counted extends Omit<Totals, 'created' | 'changed'> {
  /** The index's watermark; -1 before the first change. Microseconds. */
  indexedUs: number;
  /** Whether the index had everything that was visible before. */
  isComplete: boolean;
  /** Each of the last ones, the oldest first; the last one is today. */
  days: readonly Changes[];
  months: readonly Changes[];
}

const DAYS = 30;
const MONTHS = 24;

/** Numbers of the whole registry, which the index has counted: no asset is read for them. Source: contract section 11. */
@Injectable()
export class Statistics {
  constructor(
    private readonly search: AssetSearch,
    private readonly time: RegistryTime,
  ) {}

  /**
   * Whatever was acknowledged before is counted, unless `isComplete` says that the index is not that far yet.
   * @returns undefined where there is no index, or one of another history
   * @throws ApiError 503 while the database is away
   */
  async read(): Promise<Counted | undefined> {
    const read = await this.search.read<Totals>('totals');
    if (read === undefined) return undefined;
    const { value, indexedUs, isComplete } = read;
    const { created, changed, ...totals } = value;
    // Instants of changes may be a little ahead of this machine's clock, and none is after today.
    const today = this.time.day(Math.max(Date.now() * 1_000, indexedUs));
    const days = changesOf(lastDays(today, DAYS), [new Map(created), new Map(changed)]);
    const months = changesOf(lastMonths(today, MONTHS), [monthly(created), monthly(changed)]);
    return { ...totals, indexedUs, isComplete, days, months };
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
