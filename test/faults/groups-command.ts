import { randomInt } from 'node:crypto';
import { Command, Option } from 'commander';
import { wholeNumber } from '../support/arguments.js';
import { DATABASE_KINDS, type DatabaseKind } from './databases.js';
import { type GroupPlan, runGroupKills } from './run-group-kills.js';

interface Options extends Omit<GroupPlan, 'database'> {
  database?: DatabaseKind[];
}

/** npm run test:faults -- groups: rivals link overlapping groups of assets while services and databases are killed. */
export function groups(): Command {
  return new Command('groups')
    .description('rivals link overlapping groups of assets while services and databases are killed')
    .option('--seed <number>', 'of every choice', wholeNumber, randomInt(2 ** 31))
    .addOption(new Option('--database <kind...>', 'by default sqlite and mariadb').choices(DATABASE_KINDS))
    .option('--groups <number>', 'how many must be acknowledged on each database', wholeNumber, 100_000)
    .option('--kills <number>', 'kill -9 of a service and of the database in turn', wholeNumber, 200)
    .option('--rivals <number>', 'clients that link', wholeNumber, 32)
    .option('--assets <number>', 'that groups are made of, at most 1,000', wholeNumber, 600)
    .option('--most-of-group <number>', 'the largest group', wholeNumber, 500)
    .option('--services <number>', 'processes on one database, 1 on SQLite', wholeNumber, 2)
    .action(main);
}

async function main({ database: kinds = ['sqlite', 'mariadb'], ...plan }: Options): Promise<void> {
  console.log(`seed ${plan.seed}`);
  let violations = 0;
  for (const database of kinds) {
    const report = await runGroupKills({ ...plan, database }, (line) => console.log(`  ${line}`));
    console.log(`${database} (${report.server})`);
    for (const [name, value] of Object.entries(report.counts)) console.log(`  ${name.padEnd(28)} ${value}`);
    for (const violation of report.violations) console.log(`  - ${violation}`);
    violations += report.violations.length;
  }
  console.log(violations === 0 ? 'no violation' : `${violations} VIOLATIONS`);
  process.exit(violations === 0 ? 0 : 1);
}
