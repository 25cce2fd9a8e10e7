import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ChangeRange, type ChangedAsset, MonthReader } from '../../database/readers/month-reader.js';
import { SingleFlight } from '../../platform/concurrency/single-flight.js';

/** How long the count of a past month is cached. It can only shrink. */
const CACHE_TTL_MS = 3_600_000;
const MAX_CACHED_MONTHS = 1_000;

export interface Month {
  /** In UTC, `2026-11`. */
  month: string;
  /** Number of listed assets whose last change was in it. */
  count: number;
  /** The last change in it, in microseconds. */
  lastUs: number;
}

/** Listed assets by the month of their last change, for clients that read all of them in parts that seldom change (the sitemap). */
@Injectable()
export class ListedByMonth {
  private readonly pastMonths = new LRUCache<string, Month>({ max: MAX_CACHED_MONTHS, ttl: CACHE_TTL_MS });
  /** Shared by concurrent callers, because counting a large registry for the first time takes seconds. */
  private readonly shared = new SingleFlight(() => this.countAll());

  constructor(private readonly reader: MonthReader) {}

  /** The months that have assets, oldest first. @throws ApiError 503 */
  months(): Promise<Month[]> {
    return this.shared.run();
  }

  private async countAll(): Promise<Month[]> {
    const span = await this.reader.span();
    if (span === undefined) return [];
    const last = monthOf(span.lastUs);
    const months: Month[] = [];
    for (let month = monthOf(span.firstUs); month <= last; month = monthAfter(month)) {
      months.push(this.pastMonths.get(month) ?? (await this.count(month, month < last)));
    }
    return months.filter(({ count }) => count > 0);
  }

  /** Assets of a month, oldest change first, including deleted ones. @throws ApiError 503 */
  assets(month: string, { skip, limit }: { skip: number; limit: number }): Promise<ChangedAsset[]> {
    return this.reader.list(rangeOf(month), skip, limit);
  }

  private async count(month: string, isPast: boolean): Promise<Month> {
    const counted = { month, ...(await this.reader.count(rangeOf(month))) };
    if (isPast) this.pastMonths.set(month, counted);
    return counted;
  }
}

function monthOf(us: number): string {
  return new Date(us / 1_000).toISOString().slice(0, '2026-11'.length);
}

function monthAfter(month: string): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  return monthOf(start.setUTCMonth(start.getUTCMonth() + 1) * 1_000);
}

function rangeOf(month: string): ChangeRange {
  const startUs = (of: string): number => Date.parse(`${of}-01T00:00:00Z`) * 1_000;
  return { fromUs: startUs(month), untilUs: startUs(monthAfter(month)) };
}
