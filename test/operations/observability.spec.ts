import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import type { Ledger } from '../../src/feed/writing/ledger.js';
import { SettledWatermark } from '../../src/feed/watermarks.js';
import type { ClockMonitor } from '../../src/feed/clock/clock-monitor.js';
import { WallClock } from '../../src/feed/clock/wall-clock.js';
import type { LiveListing } from '../../src/listing/live/live-listing.js';
import type { LogFollower } from '../../src/log/log-follower.js';
import { Metrics } from '../../src/operations/metrics.js';
import { StateMetrics } from '../../src/operations/state-metrics.js';

/*
 * Dashboard and alerts use only metrics that the service exports, and all of these are documented.
 */

const OURS = /^registry_/;
const SUFFIXES = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['_sum', '_count', ''],
  counter: [''],
  gauge: [''],
};

interface Exported {
  name: string;
  type: keyof typeof SUFFIXES;
  values: { labels: { le?: number | string } }[];
}

let exported: Exported[];
/** Every name that a query may use. */
let queried: Set<string>;

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Metrics in a query; those of prom-client begin with `nodejs_` or `process_`. */
const namesIn = (query: string): string[] => query.match(/\b(?:registry|nodejs|process)_[a-z0-9_]+/g) ?? [];

interface Panel {
  id: number;
  title: string;
  type: string;
  datasource?: { uid: string };
  targets?: { expr: string; datasource: { uid: string } }[];
}

const dashboard = JSON.parse(textOf('docs/grafana/asset-registry.json')) as {
  title: string;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: unknown; datasource?: { uid: string } }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

beforeAll(async () => {
  const metrics = new Metrics();
  metrics.watchProcess();
  const ledger = { waiting: { changes: 0, bytes: 0 } } as Ledger;
  const side = { inUse: 1, waiting: 0 };
  const database = { isAway: false, connections: { writer: side, reader: side } } as unknown as Database;
  const judge = { mayWrite: true } as ClockMonitor;
  const live = { counts: { streams: 0, waits: 0 } } as LiveListing;
  const log = { signedLog: { entries: 0, untilUs: 0 } } as LogFollower;
  void new StateMetrics(metrics, database, ledger, new SettledWatermark(), new WallClock(), judge, live, log);
  exported = (await metrics.registry.getMetricsAsJSON()) as unknown as Exported[];
  queried = new Set(exported.flatMap(({ name, type }) => SUFFIXES[type].map((suffix) => name + suffix)));
});

describe('the dashboard', () => {
  it('queries metrics that the service exports', () => {
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const names = [...queries, ...dashboard.templating.list.map(({ query }) => JSON.stringify(query))].flatMap(namesIn);
    expect(names.length).toBeGreaterThan(queries.length / 2);
    expect(names.filter((name) => !queried.has(name))).toEqual([]);
  });

  it('shows every metric of ours', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
    const isShown = ({ name, type }: Exported): boolean => SUFFIXES[type].some((suffix) => shown.has(name + suffix));
    expect(exported.filter((metric) => OURS.test(metric.name) && !isShown(metric))).toEqual([]);
  });

  it('asks the data source that is chosen above it, and no other', () => {
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
    );
    const variables = dashboard.templating.list.filter(({ type }) => type === 'query');
    const queries = panels.flatMap(({ targets = [] }) => targets);
    const asked = [...panels, ...queries, ...variables].map(({ datasource }) => datasource?.uid);
    expect(new Set(asked)).toEqual(new Set(['${datasource}']));
  });

  it('names no two panels alike: Grafana opens a panel by its id', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('use metrics that the service exports', () => {
    const names = textOf('docs/grafana/alerts.yml').split('\n').flatMap(namesIn);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !queried.has(name))).toEqual([]);
  });

  it('compare a quantile with a bucket’s bound: between two bounds it is interpolated', () => {
    const bounded = [
      ...textOf('docs/grafana/alerts.yml').matchAll(/histogram_quantile\(.*?(\w+)_bucket.*> ([\d.]+)$/gm),
    ];
    expect(bounded).toHaveLength(textOf('docs/grafana/alerts.yml').split('histogram_quantile').length - 1);
    for (const [, name = '', bound] of bounded)
      expect([name, endsOf(name)]).toEqual([name, expect.arrayContaining([Number(bound)])]);
  });
});

/** Upper bounds of a histogram's buckets, in seconds. */
function endsOf(metric: string): unknown[] {
  return exported.filter(({ name }) => name === metric).flatMap(({ values }) => values.map(({ labels }) => labels.le));
}

describe('docs/operations/monitoring.md', () => {
  it('explains each alert, and no other', () => {
    const rows = [...textOf('docs/operations/monitoring.md').matchAll(/^\| (`Registry[^|]+)/gm)];
    const explained = rows.flatMap(([, names = '']) => names.match(/Registry\w+/g) ?? []);
    const rules = [...textOf('docs/grafana/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(new Set(explained)).toEqual(new Set(rules));
  });

  it('has one row for every metric of ours, with its type, and no other', () => {
    const rows = [...textOf('docs/operations/monitoring.md').matchAll(/^\| `(registry_\w+)`\s*\|\s*(\w+)/gm)];
    const documented = rows.map(([, name, type]) => `${name} ${type}`);
    const ours = exported.filter(({ name }) => OURS.test(name)).map(({ name, type }) => `${name} ${type}`);
    expect(documented.toSorted()).toEqual(ours.toSorted());
  });
});
