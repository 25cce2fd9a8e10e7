import { availableParallelism, cpus, loadavg, release } from 'node:os';
import type { Figures } from './measure.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Describes the machine in one line. Load generator, servers and database share its cores. */
export function machine(): string {
  const load = (loadavg()[0] as number).toFixed(1);
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Linux ${release()}, Node ${process.versions.node}, load average ${load}`;
}

export function printHead(columns: readonly string[]): void {
  printRow(columns);
  printRow(columns.map((_, i) => (i === 0 ? '---' : '--:')));
}

export function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

export const whole = (value: number): string => WHOLE.format(value);

export const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** Microseconds of service + database for each answer; an embedded database is part of the service. */
export function processorTime({ serviceUs, databaseUs }: Figures): string {
  return [serviceUs, ...(databaseUs > 0 ? [databaseUs] : [])].map(whole).join(' + ');
}
