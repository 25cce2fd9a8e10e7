import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../../test/support/arguments.js';
import { type DatabaseName, DATABASES, openDatabases } from '../databases.js';
import { folderFor, numbers } from '../folder.js';
import { Generators } from '../load/generators.js';
import { machine } from '../machine.js';
import { pagesMarkdown } from '../report/pages-table.js';
import { againstRead } from './pages.js';

const CONNECTIONS = [8, 64];

interface Options {
  database: DatabaseName[];
  size: number;
  connections?: number[];
  rounds: number;
  seconds: number;
  keep?: string;
}

export function addPages(program: Command): void {
  program
    .command('pages')
    .description('how long the pages take, beside a read of JSON in the same rounds')
    .addOption(new Option('--database <name...>', 'may be repeated').choices(DATABASES).default([...DATABASES]))
    .option('--size <number>', 'assets', wholeNumber, 1_000_000)
    .option(
      '--connections <number>',
      `that ask at the same time; may be repeated (default: ${CONNECTIONS.join(', ')})`,
      numbers,
    )
    .option('--rounds <number>', 'measurements of each', wholeNumber, 3)
    .option('--seconds <number>', 'of each measurement', decimal, 3)
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .action(measure);
}

async function measure({ database, size, connections = CONNECTIONS, rounds, seconds, keep }: Options): Promise<void> {
  const folder = folderFor(keep);
  const generators = new Generators();
  console.log(machine());
  try {
    for (const name of database) {
      const databases = await openDatabases(name, folder);
      try {
        const options = { size, connections, rounds, ms: seconds * 1_000, folder };
        const rows = await againstRead(databases, options, generators.run);
        console.log(`\n${databases.origin}, ${size} assets\n\n${pagesMarkdown(rows)}`);
      } finally {
        await databases.stop();
      }
    }
  } finally {
    generators.stop();
  }
}
