import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { decimal, wholeNumber } from '../support/arguments.js';
import { withPrivateDatabase } from './private-database.js';
import { type RestartReport, rollRestarts } from './rolling-restarts.js';
import { quantile } from './quantile.js';

interface Options {
  restarts: number;
  rate: number;
  drainDelay: number;
  seed?: number;
}

/** Ends with 1 when a request failed, or an instance did not end with 0. */
export function addRollingRestarts(program: Command): void {
  program
    .command('rolling-restarts')
    .description('two instances on MariaDB behind a balancer, restarted in turn under load; no request may fail')
    .option('--restarts <number>', 'of one instance each', wholeNumber, 100)
    .option('--rate <number>', 'requests a second', wholeNumber, 500)
    .option('--drain-delay <seconds>', 'DRAIN_DELAY of the instances', decimal, 3)
    .option('--seed <number>', 'of every choice; by default a new one', wholeNumber)
    .action(async ({ restarts, rate, drainDelay, seed = randomInt(2 ** 31) }: Options) => {
      console.log(`seed ${seed}`);
      await withPrivateDatabase('mariadb', async (databaseUrl) => {
        const plan = { databaseUrl, restarts, rate, drainSeconds: drainDelay, seed };
        print(await rollRestarts(plan, (line) => console.log(`  ${line}`)));
      });
    });
}

function print({ load, faults, badEnds, slowestEndMs, schemaChangeMs }: RestartReport): void {
  const rows: [string, string | number][] = [
    ['requests answered', load.answered],
    ['requests failed', load.failed],
    ['median', `${Math.round(quantile(load.times, 0.5))} ms`],
    ['99 %', `${Math.round(quantile(load.times, 0.99))} ms`],
    ['slowest', `${Math.round(quantile(load.times, 1))} ms`],
    ['slowest end of an instance', `${Math.round(slowestEndMs)} ms`],
    ['change of the schema', `${Math.round(schemaChangeMs)} ms`],
  ];
  for (const [name, value] of rows) console.log(`  ${name.padEnd(28)} ${value}`);
  for (const line of [...load.failures, ...faults.slice(0, 20), ...badEnds]) console.log(`  - ${line}`);
  if (load.failed + faults.length + badEnds.length > 0) process.exitCode = 1;
}
