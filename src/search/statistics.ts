import { Injectable } from '@nestjs/common';
import type { DayCounts, Totals } from '../database/search/index-answers.js';
import { SingleFlight } from '../feed/single-flight.js';
import { RegistryTime } from '../time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import { lastDays, lastMonths } from './last-days.js';

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
  /** Each of the last ones, the oldest first; the last one is today. */
  days: readonly Changes[];
  months: readonly Changes[];
}

export interface StatisticsRead {
  /** What was counted: one object as long as the index and the day stay the same. */
  counted: Counted;
  /** Whether the index had everything that was visible before. */
  isComplete: boolean;
}

const DAYS = 30;
const MONTHS = 24;

/** Numbers of the whole registry, which the index has counted: no asset is read for them. Source: contract section 11. */
@Injectable()
export class Statistics {
  /** Many look at the same moment: each state of the index is read once. */
  private readonly shared = new SingleFlight(() => this.readNow());
  private kept: { of: string; counted: Counted } | undefined;

  constructor(
    private readonly search: AssetSearch,
    private readonly time: RegistryTime,
  ) {}

  /**
   * Whatever was acknowledged before is counted, unless `isComplete` says that the index is not that far yet.
   * @returns undefined where there is no index, or one of another history
   * @throws ApiError 503 while the database is away
   */
  read(): Promise<StatisticsRead | undefined> {
    return this.shared.run();
  }

  private async readNow(): Promise<StatisticsRead | undefined> {
    const nowUs = Date.now() * 1_000;
    const [firstMonth] = lastMonths(this.time.day(nowUs), MONTHS);
    const read = await this.search.read<Totals>({ totalsSince: numberOf(`${firstMonth}-01`) });
    if (read === undefined) return undefined;
    const { value, indexedUs, isComplete } = read;
    // Instants of changes may be a little ahead of this machine's clock, and none is after today.
    const today = this.time.day(Math.max(nowUs, indexedUs));
    const of = `${JSON.stringify(value)} ${indexedUs} ${today}`;
    if (this.kept?.of !== of) this.kept = { of, counted: shown(value, indexedUs, today) };
    return { counted: this.kept.counted, isComplete };
  }
}

function shown({ created, changed, ...totals }: Totals, indexedUs: number, today: string): Counted {
  const ofDays = [new Map(created), new Map(changed)] as const;
  const days = lastDays(today, DAYS);
  const months = lastMonths(today, MONTHS);
  const ofMonths = [monthly(created), monthly(changed)] as const;
  return { ...totals, indexedUs, days: changesOf(days, ofDays), months: changesOf(months, ofMonths) };
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
