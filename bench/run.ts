import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../test/support/arguments.js';
import { DataSet } from './data-set.js';
import { type Figures, measureInTurn, type Settings } from './measure.js';
import { machine, ms, printHead, printRow, processorTime, whole } from './table.js';
import { type DatabaseName, DATABASES, openDatabases, SERVERS, startTarget, type Target } from './targets.js';
import { type Work, WORK_IDS, WORKS } from './works.js';

interface Options {
  database: DatabaseName[];
  size: number;
  works?: string[];
  rounds?: number;
  seconds?: number;
  connections: number;
  quick?: boolean;
}

const WHOLE_RUN: Settings = { rounds: 3, ms: 3_000 };
const QUICK_RUN: Settings = { rounds: 2, ms: 1_000 };
const HEAD = [
  'Work',
  ...SERVERS.map((name) => `${name} /s`),
  'ratio',
  'wanted',
  ...SERVERS.map((name) => `p99 ${name}`),
  ...SERVERS.map((name) => `CPU ${name}`),
  'MB registry',
  'generator',
];
const LEGEND = `
ratio: the registry's rate to the floor's; p99 in ms; CPU: processor time of service + database in µs for each answer;
/s: answers a second (W2b and W5: assets); generator: cores that the load generator kept busy; near 1 it is the limit.`;

export function addRun(program: Command): void {
  program
    .command('run', { isDefault: true })
    .description('floor, Fastify and registry in turn, in every work')
    .addOption(new Option('--database <name...>', 'may be repeated').choices(DATABASES).default([...DATABASES]))
    .option('--size <number>', 'assets', wholeNumber, 20_000)
    .addOption(new Option('--works <ids...>', 'only these').choices(WORK_IDS))
    .option('--rounds <number>', `measurements of each (default: ${WHOLE_RUN.rounds})`, wholeNumber)
    .option('--seconds <number>', `of each measurement (default: ${WHOLE_RUN.ms / 1_000})`, decimal)
    .option('--connections <number>', 'that ask at the same time', wholeNumber, 64)
    .option('--quick', 'one variant of each work, in less than five minutes on two cores')
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { database, size, works: ids = WORK_IDS, connections, quick = false, rounds, seconds } = options;
  const usual = quick ? QUICK_RUN : WHOLE_RUN;
  const settings = { rounds: rounds ?? usual.rounds, ms: seconds === undefined ? usual.ms : seconds * 1_000 };
  const works = WORKS.filter(({ id, isQuick }) => ids.includes(id) && (isQuick || !quick));
  console.log(`${machine()}${LEGEND}`);
  for (const name of database) await runOn(name, new DataSet(size), works, settings, connections);
}

async function runOn(
  name: DatabaseName,
  dataSet: DataSet,
  works: readonly Work[],
  settings: Settings,
  connections: number,
): Promise<void> {
  const databases = await openDatabases(name);
  const targets: Target[] = [];
  try {
    for (const server of SERVERS) {
      const url = await databases.create(server.toLowerCase());
      await (server === 'registry' ? dataSet.fillRegistry(url) : dataSet.fillOther(url));
      targets.push(await startTarget(server, url, databases.pid));
    }
    console.log(`\n${databases.origin}, ${whole(dataSet.size)} assets, ${connections} connections\n`);
    printHead(HEAD);
    for (const work of works) {
      const jobs = targets.map((target) => ({
        target,
        dataSet,
        kind: work.kind,
        connections: work.connections ?? connections,
      }));
      printRow(rowOf(work, name, await measureInTurn(jobs, settings)));
    }
  } finally {
    for (const target of targets) await target.stop();
    await databases.stop();
  }
}

function rowOf({ id, name, wanted }: Work, database: DatabaseName, figures: readonly Figures[]): string[] {
  const [floor, , registry] = figures as [Figures, Figures, Figures];
  const failed = figures.reduce((sum, one) => sum + one.failed, 0);
  return [
    `${id} ${name}${failed === 0 ? '' : `, ${failed} FAILED`}`,
    ...figures.map(({ perSecond }) => whole(perSecond)),
    (registry.perSecond / floor.perSecond).toFixed(2),
    database === 'mariadb' ? (wanted?.toFixed(1) ?? '') : '',
    ...figures.map(({ p99 }) => ms(p99)),
    ...figures.map(processorTime),
    whole(registry.mb),
    Math.max(...figures.map(({ generatorCores }) => generatorCores)).toFixed(2),
  ];
}
