import { Injectable } from '@nestjs/common';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import type { SearchReader } from '../database/search/search-reader.js';
import { printSum } from '../database/search/tallies.js';
import { SingleFlight } from '../feed/single-flight.js';
import { RegistryTime } from '../time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import { type Counts, countsOf } from './facets.js';
import { lastDays, lastMonths } from './last-days.js';

/** How many of the listed assets were created in a day or month, and how many were last changed in it. */
export interface Changes {
  /** `2026-11-21`, or the month, `2026-11`; in the registry's time zone. */
  when: string;
  created: number;
  changed: number;
}

/** What is counted over all listed assets, of one moment of the index. */
export interface Counted {
  /** The index's watermark; -1 before the first change. Microseconds. */
  indexedUs: number;
  total: number;
  status: Counts;
  assetType: Counts;
  /** The most frequent, by their names as they were written first. */
  region: Counts;
  /** The exact sum as a plain decimal, `1234.5`. */
  value: readonly { currency: string; sum: string; count: number }[];
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

const MOST_REGIONS = 500;
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

  private readNow(): Promise<StatisticsRead | undefined> {
    return this.search.read((reader, position, isComplete) => {
      // Instants of changes may be a little ahead of this machine's clock, and none is after today.
      const today = this.time.day(Math.max(Date.now() * 1_000, position.us));
      const of = `${position.epoch} ${position.us} ${today}`;
      if (this.kept?.of !== of) this.kept = { of, counted: count(reader, position, today) };
      return Promise.resolve({ counted: this.kept.counted, isComplete });
    });
  }
}

function count(reader: SearchReader, { us: indexedUs }: IndexPosition, today: string): Counted {
  const choices = reader.choices('');
  return {
    indexedUs,
    total: choices.reduce((total, { entries }) => total + entries, 0),
    status: countsOf(choices.map(({ status, entries }) => [status, entries])),
    assetType: countsOf(choices.map(({ type, entries }) => [type, entries])),
    region: reader.regions(MOST_REGIONS).map(({ name, entries }) => [name, entries]),
    value: reader.tallies('value').map((tally) => ({
      currency: tally.key,
      sum: printSum(BigInt(tally.sum)),
      count: tally.entries,
    })),
    days: changesOf(lastDays(today, DAYS), (kind, from) => reader.tallies(kind, from, today)),
    months: changesOf(lastMonths(today, MONTHS), (kind, from) => reader.months(kind, `${from}-01`, today)),
  };
}

/** @param whens the oldest first */
function changesOf(
  whens: readonly string[],
  read: (kind: 'created' | 'changed', from: string) => { key: string; entries: number }[],
): Changes[] {
  const [created, changed] = (['created', 'changed'] as const).map(
    (kind) => new Map(read(kind, whens[0] as string).map(({ key, entries }) => [key, entries])),
  );
  return whens.map((when) => ({ when, created: created?.get(when) ?? 0, changed: changed?.get(when) ?? 0 }));
}
