import type { PageRow } from '../pages/pages.js';
import { tableOf } from './markdown.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** What a run of `pages` has found on one database. */
export function pagesMarkdown(rows: readonly PageRow[]): string {
  const head = [
    'answer',
    'connections',
    '/s',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'p99, times the JSON',
    'service µs',
    'database µs',
  ];
  const lines = rows.map(({ name, connections, figures, read, bytes }) => [
    name,
    String(connections),
    WHOLE.format(figures.perSecond),
    figures.p50.toFixed(2),
    figures.p95.toFixed(2),
    figures.p99.toFixed(2),
    (figures.p99 / read.p99).toFixed(2),
    WHOLE.format(figures.serviceUs),
    WHOLE.format(figures.databaseUs),
    WHOLE.format(bytes),
    String(figures.failed),
  ]);
  return tableOf([...head, 'bytes at most', 'failed'], lines);
}
