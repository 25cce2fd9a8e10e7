import { growthOf, type Growth, type SizeRow } from '../growth/results.js';
import { tableOf } from './markdown.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const MB = 1_024 * 1_024;

/** Everything that a run of `growth` has found, as tables. */
export function growthMarkdown(growth: Growth): string {
  const parts = [
    ['Against the number of assets', sizeTable(growth.sizes)],
    ['Against the depth of the page', depthTable(growth)],
    ['Against the number of writers', writerTable(growth)],
    ['Against the number of connections', connectionTable(growth)],
    ['Start', startTable(growth)],
  ];
  return parts.map(([title, table]) => `### ${title}\n\n${table}\n`).join('\n');
}

function sizeTable(rows: readonly SizeRow[]): string {
  const head = [
    'work',
    'assets',
    'service µs',
    'database µs',
    'p50',
    'p99',
    'cost, times the first',
    'p50, times the first',
  ];
  const lines = rows.map((row) => {
    const { work, size, figures, first } = row;
    return [
      work,
      WHOLE.format(size),
      WHOLE.format(figures.serviceUs),
      WHOLE.format(figures.databaseUs),
      ...[figures.p50, figures.p99].map((ms) => ms.toFixed(2)),
      growthOf(row).toFixed(2),
      (figures.p50 / first.p50).toFixed(2),
    ];
  });
  return tableOf(head, lines);
}

function depthTable({ depths }: Growth): string {
  const lines = depths.map((row) => [
    `page of 100 at the ${row.depth}`,
    WHOLE.format(row.size),
    WHOLE.format(row.figures.serviceUs),
    WHOLE.format(row.figures.databaseUs),
    row.figures.p50.toFixed(2),
    growthOf(row).toFixed(2),
    (row.first.perSecond / row.figures.perSecond).toFixed(2),
  ]);
  const head = ['work', 'assets', 'service µs', 'database µs', 'p50', 'cost, times the start', 'time, times the start'];
  return tableOf(head, lines);
}

function writerTable({ writers }: Growth): string {
  const lines = writers.map(({ writers: count, figures, batch }) => [
    String(count),
    WHOLE.format(figures.perSecond),
    batch.toFixed(1),
    figures.p50.toFixed(2),
    figures.p99.toFixed(2),
  ]);
  return tableOf(['writers', 'creations /s', 'changes a batch', 'p50', 'p99'], lines);
}

function connectionTable({ connections }: Growth): string {
  const lines = connections.map(({ idle, active, rss }) => [
    WHOLE.format(idle),
    String(active),
    WHOLE.format(rss / MB),
  ]);
  return tableOf(['idle connections', 'active', 'resident MB'], lines);
}

function startTable({ starts }: Growth): string {
  return tableOf(
    ['assets', 'ready after ms'],
    starts.map(({ size, readyMs }) => [WHOLE.format(size), WHOLE.format(readyMs)]),
  );
}
