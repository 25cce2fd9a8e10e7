import type { Figures } from '../figures.js';
import { eachServer, SERVER_TITLES } from '../servers.js';
import { tableOf } from './markdown.js';
import { isJudged, missed, p99RatioOf, placeOf, ratioOf, type Row } from './row.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const MB = 1_024 * 1_024;
/** Of the processes times one process; on reads, where the ledger's clock is no matter. */
const SCALING_TARGET = 0.8;
const SCALING_WORKS = new Set(['W1', 'W2']);

/** What the parts of a line are. */
export const LEGEND =
  'For each server: answers a second (W2b and W5: assets), the 99th percentile of their times, processor time of service + database\n' +
  'for each answer, and the cores that load generators + service + database + all else on the machine kept busy.';

/** One line for the console. */
export function lineOf(row: Row): string {
  const failed = eachServer(row).filter(([, figures]) => figures.failed > 0);
  return [
    `${placeOf(row)}: ${nameOf(row)}`,
    ...eachServer(row).map(([name, figures]) => {
      const rate = `${SERVER_TITLES[name]} ${WHOLE.format(figures.perSecond)}/s`;
      return `${rate}, ${ms(figures.p99)} ms, ${processorTime(figures)} µs, ${coresOf(figures).join(' + ')} cores`;
    }),
    `ratio ${ratioOf(row).toFixed(2)}`,
    ...(failed.length === 0
      ? []
      : [`FAILED: ${failed.map(([name, figures]) => `${SERVER_TITLES[name]} ${figures.failed}`).join(', ')}`]),
  ].join(' | ');
}

/** All rows, in a section for each database, size and number of processes. */
export function markdownOf(rows: readonly Row[]): string {
  const places = [...new Set(rows.map(placeOf))];
  const sections = places.map((place) => {
    const here = rows.filter((row) => placeOf(row) === place);
    return `### ${place}\n\n${rateTable(here)}\n\n${coreTable(here)}`;
  });
  const scaling = scalingRows(rows);
  if (scaling.length > 0) sections.push(`### More processes\n\n${scalingTable(scaling)}`);
  return `${sections.join('\n\n')}\n`;
}

function rateTable(rows: readonly Row[]): string {
  const [first] = rows as [Row];
  const names = eachServer(first).map(([name]) => SERVER_TITLES[name]);
  const head = [
    'work',
    ...names.flatMap((name) => [`${name} /s`, `${name} µs`]),
    'ratio',
    ...(first.fastify === undefined ? [] : ['times Fastify']),
    ...names.map((name) => `p99 ${name}`),
  ];
  const lines = rows.map((row) => {
    const { work } = row;
    const servers = eachServer(row).map(([, figures]) => figures);
    return [
      nameOf(row),
      ...servers.flatMap((figures) => [WHOLE.format(figures.perSecond), processorTime(figures)]),
      ...ratiosOf(row),
      ...servers.map(({ p99 }) => ms(p99)),
      p99RatioOf(row).toFixed(2),
      isJudged(row) ? (work.target?.toFixed(1) ?? '') : '',
      isJudged(row) ? judgement(row) : '',
    ];
  });
  return tableOf([...head, 'p99 ratio', 'target', 'met?'], lines);
}

/** To the floor, and to Fastify where it is there; none where all were given the same rate. */
function ratiosOf({ floor, fastify, registry, work }: Row): string[] {
  const others = fastify === undefined ? [floor] : [floor, fastify];
  return others.map((other) => (work.mode === 'paced' ? '' : (registry.perSecond / other.perSecond).toFixed(2)));
}

function judgement(row: Row): string {
  const faults = missed(row);
  return faults.length === 0 ? 'yes' : `no: ${faults.join(', ')}`;
}

/** Who had how much of the machine, a line for each server. */
function coreTable(rows: readonly Row[]): string {
  const cores = ['cores of generators', 'of service', 'of database', 'of others'];
  const head = ['work', 'server', ...cores, 'p50', '/CPU s', 'MB'];
  const lines = rows.flatMap((row) =>
    eachServer(row).map(([name, figures]) => [
      nameOf(row),
      SERVER_TITLES[name],
      ...coresOf(figures),
      ms(figures.p50),
      WHOLE.format(figures.perCpuSecond),
      WHOLE.format(figures.rss / MB),
      `${row.generators} × ${percent(figures.generatorShare)}`,
    ]),
  );
  return tableOf([...head, 'generators'], lines);
}

/** That load generators, service, database and everything else on the machine kept busy. */
function coresOf({ generatorCores, serviceCores, databaseCores, otherCores }: Figures): string[] {
  return [generatorCores, serviceCores, databaseCores, otherCores].map((cores) => cores.toFixed(2));
}

/** Microseconds of service + database for each answer; an embedded database is part of the service. */
function processorTime({ serviceUs, databaseUs }: Figures): string {
  return [serviceUs, ...(databaseUs > 0 ? [databaseUs] : [])].map((us) => WHOLE.format(us)).join(' + ');
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

function nameOf({ work, pace }: Row): string {
  return `${work.id} ${work.name}${pace === undefined ? '' : ` (${WHOLE.format(pace)}/s)`}`;
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
