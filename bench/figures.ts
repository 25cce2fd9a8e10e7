import { quantile } from '../test/reliability/quantile.js';
import type { Outcome } from './load/plan.js';

/** What one work on one target came to. */
export interface Figures {
  /** Assets in W5 and W2b, answers elsewhere. */
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  /** Of the service's processor time. */
  perCpuSecond: number;
  /** Microseconds of processor time for each answer; the database's is part of the service on SQLite. */
  serviceUs: number;
  databaseUs: number;
  /** Processor seconds a second: how many cores were busy. */
  serviceCores: number;
  databaseCores: number;
  /** That the rest of the machine kept busy, which is no part of what is measured. */
  otherCores: number;
  /** Greatest resident memory of a process, in bytes. */
  rss: number;
  failed: number;
  /** Of one core, of the busiest generator. */
  generatorShare: number;
  /** Of all generators together. */
  generatorCores: number;
}

/** @param factor assets in each one that the outcome counts */
export function figuresOf(outcome: Outcome, factor: number): Figures {
  const { answered, failed, seconds, generatorShare, generatorCores, usage } = outcome;
  const times = Array.from(outcome.times);
  const assets = outcome.assets * factor;
  const [serviceCores, databaseCores] = [usage.service / seconds, usage.database / seconds];
  const otherCores = usage.machine / seconds - generatorCores - serviceCores - databaseCores;
  return {
    perSecond: assets / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
    perCpuSecond: assets / usage.service,
    serviceUs: (usage.service / answered) * 1_000_000,
    databaseUs: (usage.database / answered) * 1_000_000,
    serviceCores,
    databaseCores,
    // The kernel counts in ticks, so a little less than nothing may be left.
    otherCores: Math.max(0, otherCores),
    rss: usage.rss,
    failed,
    generatorShare,
    generatorCores,
  };
}

/** Each figure's median; what failed is added up, and the memory is the greatest. */
export function medianOf(rounds: readonly Figures[]): Figures {
  const middle = (name: keyof Figures): number => {
    const values = rounds.map((round) => round[name]).toSorted((a, b) => a - b);
    const half = values.length / 2;
    return ((values[Math.ceil(half) - 1] as number) + (values[Math.floor(half)] as number)) / 2;
  };
  const names = Object.keys(rounds[0] as Figures) as (keyof Figures)[];
  const medians = Object.fromEntries(names.map((name) => [name, middle(name)])) as unknown as Figures;
  return {
    ...medians,
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
    rss: Math.max(...rounds.map(({ rss }) => rss)),
  };
}
