import type { Command } from 'commander';
import { decimal, wholeNumber } from '../../test/support/arguments.js';
import { shownProgress } from '../../src/commands/shown-progress.js';
import { DataSet } from '../data-set/data-set.js';
import { prepareRegistry } from '../data-set/write.js';
import { openDatabases } from '../databases.js';
import type { Figures } from '../figures.js';
import { folderFor, numbers } from '../folder.js';
import { Generators } from '../load/generators.js';
import { machine } from '../machine.js';
import { type Bench, compare } from '../measure.js';
import { tableOf } from '../report/markdown.js';
import { startRegistry, type Target } from '../targets.js';
import { type Work, WORKS } from '../works.js';

/** What several services have to do with each other: they write. */
const WRITES = WORKS.filter(
  ({ kind, connections }) => ['create', 'change'].includes(kind) && connections === undefined,
);

interface Options {
  services?: number[];
  size: number;
  rounds: number;
  seconds: number;
  connections: number;
  keep?: string;
}

export function addServices(program: Command): void {
  program
    .command('services')
    .description('how much several services on one MariaDB write together, beside one')
    .option('--services <number>', 'of one process each; may be repeated (default: 1 and 2)', numbers)
    .option('--size <number>', 'assets', wholeNumber, 20_000)
    .option('--rounds <number>', 'measurements of each', wholeNumber, 5)
    .option('--seconds <number>', 'of each measurement', decimal, 3)
    .option('--connections <number>', 'that write at the same time, to all services together', wholeNumber, 64)
    .option('--keep <folder>', 'keeps the database there for later runs')
    .action(measure);
}

async function measure(options: Options): Promise<void> {
  const { services: counts = [1, 2], size, rounds, seconds, connections } = options;
  const databases = await openDatabases('mariadb', folderFor(options.keep));
  const generators = new Generators();
  const services: Target[] = [];
  try {
    const { registry } = await databases.urlsFor(size);
    await prepareRegistry(registry, new DataSet(size), shownProgress());
    while (services.length < Math.max(...counts)) services.push(await startRegistry(registry, size));
    const settings = { rounds, ms: seconds * 1_000, connections };
    const bench = { settings, databasePids: databases.pids, putLoad: generators.run, generators: 1 };
    const lines: string[][] = [];
    for (const work of WRITES) lines.push(...(await linesOf(work, counts, services, bench)));
    const head = ['work', 'services', '/s', 'times the first', 'p99 ms', 'service µs', 'database µs', 'failed'];
    console.log(`${machine()}; ${databases.origin}\n\n${tableOf(head, lines)}`);
  } finally {
    for (const service of services) await service.stop();
    generators.stop();
    await databases.stop();
  }
}

/** The same work on so many of the services, in turn: those that have no load do next to nothing. */
async function linesOf(
  { id, name, kind, mode }: Work,
  counts: readonly number[],
  services: readonly Target[],
  bench: Bench,
): Promise<string[][]> {
  const jobs = counts.map((count) => ({ target: together(services.slice(0, count)), load: { kind, mode } }));
  const { medians } = await compare(bench, jobs);
  const [first] = medians as [Figures];
  return medians.map(({ perSecond, p99, serviceUs, databaseUs, failed }, i) => [
    `${id} ${name}`,
    String(counts[i]),
    perSecond.toFixed(0),
    (perSecond / first.perSecond).toFixed(2),
    p99.toFixed(1),
    serviceUs.toFixed(0),
    databaseUs.toFixed(0),
    String(failed),
  ]);
}

function together(services: readonly Target[]): Target {
  const [first, ...others] = services as [Target, ...Target[]];
  return {
    ...first,
    further: others.map(({ url }) => url),
    pids: services.flatMap(({ pids }) => pids),
  };
}
