import type { DatabaseName } from '../databases.js';
import type { Figures } from '../figures.js';
import type { Measured } from '../measure.js';
import { P99_TARGET, type Work } from '../works.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** One line of the report, and of the file of results. */
export interface Row extends Measured {
  database: DatabaseName;
  size: number;
  processes: number;
  connections: number;
  /** Requests a second that were sent, where that was fixed. */
  pace: number | undefined;
  work: Work;
}

/** What a run has found, as `--output` keeps it. */
export interface Results {
  kind: 'ratios';
  when: string;
  machine: string;
  databases: string[];
  rounds: number;
  seconds: number;
  rows: Row[];
}

/** The registry's rate, times the floor's. */
export function ratioOf(row: Pick<Row, 'floor' | 'registry'>): number {
  return row.registry.perSecond / row.floor.perSecond;
}

export function p99RatioOf({ floor, registry }: { floor: Figures; registry: Figures }): number {
  return registry.p99 / floor.p99;
}

/** What the targets speak of: one process of each, on MariaDB. */
export function isJudged({ database, processes, work }: Row): boolean {
  return database === 'mariadb' && processes === 1 && (work.target !== undefined || work.mode === 'paced');
}

/** Which of the two targets is missed; p99 of a copy compares nothing, as its parts differ. */
export function missed(row: Row): ('ratio' | 'p99')[] {
  const faults: ('ratio' | 'p99')[] = [];
  if (row.work.target !== undefined && ratioOf(row) < row.work.target) faults.push('ratio');
  if (row.work.mode !== 'copy by pages' && p99RatioOf(row) > P99_TARGET) faults.push('p99');
  return faults;
}

/** Where a row belongs, for people. */
export function placeOf({ database, size, processes }: Row): string {
  const name = database === 'mariadb' ? 'MariaDB' : 'SQLite';
  return `${name}, ${WHOLE.format(size)} assets, ${processes} process${processes === 1 ? '' : 'es'}`;
}
