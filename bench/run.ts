import { shownProgress } from '../src/commands/shown-progress.js';
import { DataSet } from './data-set/data-set.js';
import { prepare } from './data-set/write.js';
import { type DatabaseName, type Databases, openDatabases } from './databases.js';
import type { Extent } from './extent.js';
import type { PutLoad } from './load/generators.js';
import { machine } from './machine.js';
import { type Bench, measure, type Settings } from './measure.js';
import type { Results, Row } from './report/row.js';
import { type ByServer, eachServer } from './servers.js';
import { startServers, type Target } from './targets.js';
import type { Work } from './works.js';

export interface RunOptions extends Settings, Extent {
  databases: readonly DatabaseName[];
  /** Whether a server of Fastify is measured, too. */
  fastify: boolean;
  /** Where the data are. */
  folder: string;
  profile: string | undefined;
}

/** Measures all of it. @param tell called with each row as it is known */
export async function run(options: RunOptions, putLoad: PutLoad, tell: (row: Row) => void): Promise<Results> {
  const rows: Row[] = [];
  const origins: string[] = [];
  const keep = (row: Row): void => {
    rows.push(row);
    tell(row);
  };
  for (const name of options.databases) {
    const databases = await openDatabases(name, options.folder);
    origins.push(databases.origin);
    try {
      for (const size of options.sizes) await runOn(name, databases, new DataSet(size), options, putLoad, keep);
    } finally {
      await databases.stop();
    }
  }
  const { rounds, ms } = options;
  return {
    kind: 'ratios',
    when: new Date().toISOString(),
    machine: machine(),
    databases: origins,
    rounds,
    seconds: ms / 1_000,
    rows,
  };
}

async function runOn(
  database: DatabaseName,
  databases: Databases,
  dataSet: DataSet,
  options: RunOptions,
  putLoad: PutLoad,
  keep: (row: Row) => void,
): Promise<void> {
  const { fastify, ...always } = await databases.urlsFor(dataSet.size);
  const urls = options.fastify ? { ...always, fastify } : always;
  await prepare(urls, dataSet, shownProgress());
  for (const workers of database === 'sqlite' ? [1] : options.processes) {
    const targets = await startServers(urls, { size: dataSet.size, workers, profile: options.profile });
    try {
      const { pids: databasePids } = databases;
      const bench = { settings: options, databasePids, putLoad, generators: Math.min(workers, 2) };
      // One connection is one request at a time, whatever the number of processes.
      const works = options.works.filter(({ connections }) => workers === 1 || connections === undefined);
      await runWorks(bench, targets, works, (row) =>
        keep({ database, size: dataSet.size, processes: workers, ...row }),
      );
    } finally {
      for (const [, target] of eachServer(targets)) await target.stop();
    }
  }
}

async function runWorks(
  bench: Bench,
  targets: ByServer<Target>,
  works: readonly Work[],
  keep: (row: Omit<Row, 'database' | 'size' | 'processes'>) => void,
): Promise<void> {
  let peak = NaN;
  for (const work of works) {
    const pace = work.mode === 'paced' ? peak / 2 : undefined;
    const measured = await measure(bench, targets, work, pace);
    peak = Math.min(...eachServer(measured).map(([, { perSecond }]) => perSecond));
    keep({ ...measured, work, pace, connections: work.connections ?? bench.settings.connections });
  }
}
