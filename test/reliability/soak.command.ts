import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../support/arguments.js';
import { withPrivateDatabase } from './private-database.js';
import { soak } from './soak.js';

interface Options {
  database: 'sqlite' | 'mariadb';
  minutes: number;
  share: number;
  mostGrowth: number;
  seed?: number;
}

/** Ends with 1 when the memory grows more than allowed after the warm-up, or a request fails. */
export function addSoak(program: Command): void {
  program
    .command('soak')
    .description('one process under a steady load for a long time: its memory must not grow')
    .addOption(new Option('--database <name>').choices(['sqlite', 'mariadb']).default('mariadb'))
    .option('--minutes <number>', 'how long', decimal, 30)
    .option('--share <number>', 'of the rate that is answered at the beginning', decimal, 0.7)
    .option('--most-growth <MB>', 'after the first fifth of the time, by least squares', decimal, 30)
    .option('--seed <number>', 'of every choice; by default a new one', wholeNumber)
    .action(async ({ database, minutes, share, mostGrowth, seed = randomInt(2 ** 31) }: Options) => {
      console.log(`seed ${seed}`);
      await withPrivateDatabase(database, async (databaseUrl) => {
        const report = await soak({ databaseUrl, minutes, share, seed }, (line) => console.log(`  ${line}`));
        const { rate, answered, failed, failures, slope, growth, lastMb } = report;
        console.log(`  ${answered} answered at ${rate} a second, ${failed} failed`);
        console.log(
          `  ${Math.round(lastMb)} MB at the end; ${slope.toFixed(1)} MB an hour, ${growth.toFixed(1)} MB since the warm-up`,
        );
        for (const failure of failures) console.log(`  - ${failure}`);
        if (growth > mostGrowth || failed > 0) process.exitCode = 1;
      });
    });
}
