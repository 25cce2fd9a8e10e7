import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { decimal, wholeNumber } from '../../test/support/arguments.js';
import { folderFor, numbers } from '../folder.js';
import { Generators } from '../load/generators.js';
import { growthMarkdown } from '../report/growth-table.js';
import { growth } from './growth.js';

const SIZES = [20_000, 200_000, 1_000_000, 5_000_000];

interface Options {
  size?: number[];
  rounds: number;
  seconds: number;
  connections: number;
  keep?: string;
  output?: string;
}

export function addGrowth(program: Command): void {
  program
    .command('growth')
    .description('what the costs of a request grow with, on MariaDB')
    .option('--size <number>', `assets, growing; may be repeated (default: ${SIZES.join(', ')})`, numbers)
    .option('--rounds <number>', 'measurements of each', wholeNumber, 3)
    .option('--seconds <number>', 'of each measurement', decimal, 3)
    .option('--connections <number>', 'that ask at the same time', wholeNumber, 64)
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .option('--output <file>', 'writes all results there as JSON')
    .action(async ({ size: sizes = SIZES, rounds, seconds, connections, keep, output }: Options) => {
      const options = { sizes, rounds, ms: seconds * 1_000, connections, folder: folderFor(keep) };
      const generators = new Generators();
      try {
        const found = await growth(options, generators.run, (line) => console.log(line));
        if (output !== undefined) writeFileSync(output, `${JSON.stringify(found, undefined, 1)}\n`);
        console.log(`\n${found.machine}; ${found.database}\n\n${growthMarkdown(found)}`);
      } finally {
        generators.stop();
      }
    });
}
