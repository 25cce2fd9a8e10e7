import { type Figures } from '../figures.js';
import { tableOf } from './markdown.js';
import { isJudged, missed, p99RatioOf, ratioOf, type Row } from './row.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const MB = 1_024 * 1_024;
/** Of the processes times one process; on reads, where the ledger's clock is no matter. */
const SCALING_TARGET = 0.8;
const SCALING_WORKS = new Set(['W1', 'W2']);

/** One line for the console. */
export function lineOf(row: Row): string {
  const { floor, registry } = row;
  const failed = floor.failed + registry.failed;
  return [
    `${placeOf(row)}: ${nameOf(row)}`,
    `floor ${WHOLE.format(floor.perSecond)}/s, registry ${WHOLE.format(registry.perSecond)}/s, ratio ${ratioOf(row).toFixed(2)}`,
    `p99 ${ms(floor.p99)} and ${ms(registry.p99)} ms`,
    `generator ${percent(Math.max(floor.generatorShare, registry.generatorShare))}`,
    ...(failed === 0 ? [] : [`FAILED: floor ${floor.failed}, registry ${registry.failed}`]),
  ].join(' | ');
}

/** All rows, in a section for each database, size and number of processes. */
export function markdownOf(rows: readonly Row[]): string {
  const places = [...new Set(rows.map(placeOf))];
  const sections = places.map((place) => {
    const here = rows.filter((row) => placeOf(row) === place);
    return `### ${place}\n\n${rateTable(here)}\n\n${costTable(here)}`;
  });
  const scaling = scalingRows(rows);
  if (scaling.length > 0) sections.push(`### More processes\n\n${scalingTable(scaling)}`);
  return `${sections.join('\n\n')}\n`;
}

function rateTable(rows: readonly Row[]): string {
  const head = ['work', 'floor /s', 'registry /s', 'ratio', 'p50 floor', 'p50 registry', 'p99 floor', 'p99 registry'];
  const lines = rows.map((row) => {
    const { floor, registry, work } = row;
    return [
      nameOf(row),
      WHOLE.format(floor.perSecond),
      WHOLE.format(registry.perSecond),
      work.mode === 'paced' ? '' : ratioOf(row).toFixed(2),
      ...[floor.p50, registry.p50, floor.p99, registry.p99].map(ms),
      p99RatioOf(row).toFixed(2),
      isJudged(row) ? (work.target?.toFixed(1) ?? '') : '',
      isJudged(row) ? judgement(row) : '',
    ];
  });
  return tableOf([...head, 'p99 ratio', 'target', 'met?'], lines);
}

function judgement(row: Row): string {
  const faults = missed(row);
  return faults.length === 0 ? 'yes' : `no: ${faults.join(', ')}`;
}

function costTable(rows: readonly Row[]): string {
  const head = ['work', 'floor /CPU s', 'registry /CPU s', 'floor µs', 'registry µs', 'database µs, floor'];
  const lines = rows.map((row) => {
    const { floor, registry } = row;
    const each = (value: (figures: Figures) => number): string[] =>
      [floor, registry].map((one) => WHOLE.format(value(one)));
    return [
      nameOf(row),
      ...each(({ perCpuSecond }) => perCpuSecond),
      ...each(({ serviceUs }) => serviceUs),
      ...each(({ databaseUs }) => databaseUs),
      ...each(({ rss }) => rss / MB),
      `${row.generators} × ${percent(Math.max(floor.generatorShare, registry.generatorShare))}`,
    ];
  });
  return tableOf([...head, 'database µs, registry', 'MB floor', 'MB registry', 'generators'], lines);
}

interface Scaling {
  one: Row;
  many: Row;
}

function scalingRows(rows: readonly Row[]): Scaling[] {
  return rows.flatMap((many) => {
    const one = rows.find(
      (row) =>
        row.processes === 1 &&
        row.database === many.database &&
        row.size === many.size &&
        row.work.name === many.work.name,
    );
    return many.processes > 1 && one !== undefined && SCALING_WORKS.has(many.work.id) ? [{ one, many }] : [];
  });
}

function scalingTable(scaling: readonly Scaling[]): string {
  const lines = scaling.map(({ one, many }) => {
    const times = (name: 'floor' | 'registry'): string => (many[name].perSecond / one[name].perSecond).toFixed(2);
    const { serviceCores, databaseCores } = many.registry;
    return [
      `${WHOLE.format(many.size)} assets, ${nameOf(many)}`,
      String(many.processes),
      times('floor'),
      times('registry'),
      (SCALING_TARGET * many.processes).toFixed(1),
      serviceCores.toFixed(1),
      databaseCores.toFixed(1),
      `${many.generators} × ${percent(many.registry.generatorShare)}`,
    ];
  });
  const busy = ['cores in the registry', 'in the database', 'generators'];
  return tableOf(['work', 'processes', 'floor times one', 'registry times one', 'target', ...busy], lines);
}

function placeOf({ database, size, processes }: Row): string {
  const name = database === 'mariadb' ? 'MariaDB' : 'SQLite';
  return `${name}, ${WHOLE.format(size)} assets, ${processes} process${processes === 1 ? '' : 'es'}`;
}

function nameOf({ work, pace }: Row): string {
  return `${work.id} ${work.name}${pace === undefined ? '' : ` (${WHOLE.format(pace)}/s)`}`;
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
