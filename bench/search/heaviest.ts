import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { ASSETS } from '../../test/support/assets.js';
import { metricsOf } from '../../test/support/metrics.js';
import type { DataSet } from '../data-set/data-set.js';
import { UsageMeter } from '../load/usage.js';
import { tableOf } from '../report/markdown.js';
import { startRegistry } from '../targets.js';

const TOGETHER = 8;
/** Between two kinds, so that what one has left is no part of the next. */
const REST_MS = 500;
const ALL_FACETS = 'facets=status,assetType,region';
const EVERY_WORD = 'земельна нежитлове площею область зем неж пло обл земе нежи';
const EVERY_FILTER = {
  q: 'область',
  status: 'pending',
  assetType: 'basic',
  region: 'Одеська область',
  currency: 'UAH',
  classification: 'CAV-PS:0',
  owner: 'broker',
  valueFrom: '1',
};

/** What costs most, and the whole as a file: how long one alone and the last of several at once takes, and how long the event loop was held. */
export async function tellHeaviest(
  databaseUrl: string,
  index: string,
  dataSet: DataSet,
  databasePids: number[],
): Promise<void> {
  const port = await findFreePort();
  const env = { SEARCH_INDEX: index, METRICS_PORT: String(port) };
  const target = await startRegistry(databaseUrl, dataSet.size, env);
  const head = ['Request', 'at once', 'status', 's', 'KB', 'held ms', 'MB', 'service s', 'database s'];
  const lines: string[][] = [];
  const measure = async (name: string, path: string, count: number): Promise<void> => {
    await sleep(REST_MS);
    // Asked for, it begins anew.
    await metricsOf(`http://127.0.0.1:${port}/metrics`);
    const meter = new UsageMeter({ service: target.pids, database: databasePids });
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, () => bytesOf(target.url + path)));
    const seconds = (performance.now() - began) / 1_000;
    const { service, database, rss } = meter.stop();
    const held = await heldMs(`http://127.0.0.1:${port}/metrics`);
    const [{ status, bytes }] = answers as [Answered];
    const statuses = new Set(answers.map((answer) => answer.status));
    const told = statuses.size === 1 ? String(status) : [...statuses].join(', ');
    const sizes = [Math.round(bytes / 1_000).toString(), held.toFixed(0), (rss / 1e6).toFixed(0)];
    lines.push([name, String(count), told, seconds.toFixed(3), ...sizes, service.toFixed(2), database.toFixed(2)]);
  };
  try {
    for (const [name, query] of heaviestOf(dataSet))
      for (const count of [1, TOGETHER]) await measure(name, `${ASSETS}/search?${query}`, count);
    for (const [name, path] of FILES) await measure(name, ASSETS + path, 1);
    console.log(`\n${tableOf(head, lines)}`);
  } finally {
    await target.stop();
  }
}

const FILES = [
  ['a search as CSV, 100,000 rows', '/search.csv?status=pending'],
  ['the same by value', '/search.csv?status=pending&currency=UAH&sort=value'],
  ['the whole registry as CSV', '/snapshot.csv.gz'],
] as const;

function heaviestOf(dataSet: DataSet): [name: string, query: string][] {
  const query = (parts: Record<string, string>): string => new URLSearchParams(parts).toString();
  const [middle, first] = [dataSet.size / 2, 1].map((number) => Math.floor(number));
  const deep = String(dataSet.instantOf(first as number) + 1);
  const byValue = { currency: 'UAH', sort: 'value' };
  const all = { ...EVERY_FILTER, valueTo: '999999', modifiedFrom: dataSet.offsetAt(first as number), sort: 'value' };
  const states = 'status=pending&status=active&status=complete&status=deleted';
  return [
    ['a word of one letter', query({ q: 'м' })],
    ['letters alone', query({ q: 'а б в г д е ж з и к л м' })],
    ['the commonest word', query({ q: 'область' })],
    ['the same with facets', `${query({ q: 'область' })}&${ALL_FACETS}`],
    ['the same by value', query({ q: 'область', ...byValue })],
    ['ten words that never meet', `${query({ q: EVERY_WORD })}&${ALL_FACETS}`],
    ['every filter, by value', `${query(all)}&${ALL_FACETS}`],
    ['every filter and a price that few have', `${query({ ...all, valueFrom: '999000' })}&${ALL_FACETS}`],
    ['all states, by value', `${states}&${query(byValue)}&${ALL_FACETS}`],
    ['a price that nobody asks for', query({ currency: 'UAH', valueFrom: '999999.991', valueTo: '999999.999' })],
    ['the same by value', query({ ...byValue, valueFrom: '999999.991', valueTo: '999999.999' })],
    ['a word and a price that few have', query({ q: 'область', ...byValue, valueFrom: '999999' })],
    ['a rare lot, by value', query({ ...byValue, relatedLot: 'f'.repeat(32) })],
    ['a state and a deep offset', query({ status: 'pending', offset: deep })],
    ['by value and a deep offset', query({ ...byValue, status: 'deleted', offset: `${deep}_990000` })],
    ['a word, by value and a deep offset', query({ ...byValue, q: 'область', offset: `${deep}_990000` })],
    ['changed since the middle', `${query({ modifiedFrom: dataSet.offsetAt(middle as number) })}&${ALL_FACETS}`],
    ['changed since the beginning', query({ modifiedFrom: dataSet.offsetAt(0), sort: 'dateModified' })],
    ['a thousand whole assets', query({ q: 'область', opt_fields: '*', limit: '1000' })],
  ];
}

interface Answered {
  status: number;
  bytes: number;
}

/** Nothing of it is kept. */
async function bytesOf(url: string): Promise<Answered> {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const { statusCode, body } = await request(url, { dispatcher });
  let bytes = 0;
  for await (const chunk of body) bytes += (chunk as Buffer).length;
  await dispatcher.close();
  return { status: statusCode, bytes };
}

/** The longest time for which the event loop was held since the metrics were asked for. */
async function heldMs(url: string): Promise<number> {
  const lines = [...(await metricsOf(url))].filter(([line]) => line.startsWith('nodejs_eventloop_lag_max_seconds'));
  return Math.max(...lines.map(([, value]) => value)) * 1_000;
}
