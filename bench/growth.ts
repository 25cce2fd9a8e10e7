import type { Command } from 'commander';
import { decimal, wholeNumber } from '../test/support/arguments.js';
import { DataSet } from './data-set.js';
import { type Figures, measureInTurn } from './measure.js';
import { machine, ms, printHead, printRow, processorTime, whole } from './table.js';
import { openDatabases, startTarget, type Target } from './targets.js';
import { WORKS } from './works.js';

const SIZES = [20_000, 200_000, 1_000_000];
const GROWING = WORKS.filter(
  ({ kind, connections }) => ['read', 'start', 'end', 'create', 'change'].includes(kind) && connections === undefined,
);

interface Options {
  size?: number[];
  rounds: number;
  seconds: number;
  connections: number;
}

export function addGrowth(program: Command): void {
  program
    .command('growth')
    .description('what the costs of a request grow with: the registry on MariaDB with more and more assets')
    .option('--size <numbers>', `assets, growing (default: ${SIZES.join(',')})`, (text) =>
      text.split(',').map(wholeNumber),
    )
    .option('--rounds <number>', 'measurements of each', wholeNumber, 3)
    .option('--seconds <number>', 'of each measurement', decimal, 3)
    .option('--connections <number>', 'that ask at the same time', wholeNumber, 64)
    .action(grow);
}

interface Sized {
  target: Target;
  dataSet: DataSet;
}

async function grow({ size: sizes = SIZES, rounds, seconds, connections }: Options): Promise<void> {
  const databases = await openDatabases('mariadb');
  const started: Sized[] = [];
  try {
    console.log(`${machine()}; ${databases.origin}\n`);
    printHead(['Work', 'assets', 'p50 ms', 'p99 ms', 'CPU µs', 'CPU of the first size', 'cost, times the first']);
    for (const size of sizes) {
      const dataSet = new DataSet(size);
      const url = await databases.create(`registry_${size}`);
      await dataSet.fillRegistry(url);
      const sized = { dataSet, target: await startTarget('registry', url, databases.pid) };
      started.push(sized);
      const pair = [started[0] as Sized, sized];
      for (const { id, name, kind } of GROWING) {
        const jobs = pair.map((one) => ({ ...one, kind, connections }));
        const [first, figures] = (await measureInTurn(jobs, { rounds, ms: seconds * 1_000 })) as [Figures, Figures];
        const times = (costOf(figures) / costOf(first)).toFixed(2);
        const cells = [ms(figures.p50), ms(figures.p99), processorTime(figures), processorTime(first), times];
        printRow([`${id} ${name}`, whole(size), ...cells]);
      }
      if (started.length > 1) await started.pop()?.target.stop();
    }
  } finally {
    for (const { target } of started) await target.stop();
    await databases.stop();
  }
}

const costOf = ({ serviceUs, databaseUs }: Figures): number => serviceUs + databaseUs;
