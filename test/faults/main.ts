/*
 * npm run test:faults: kills, freezes and spoils what runs a registry of its own, under load, and checks that no reader missed anything.
 */
import { randomInt } from 'node:crypto';
import { Command, Option } from 'commander';
import { findFakeTime } from './fake-clock.js';
import { DATABASE_KINDS, type DatabaseKind } from './databases.js';
import { groups } from './groups-command.js';
import type { WriteGap } from './write-invariants.js';
import { type Plan, type Report, runFaults } from './run-faults.js';
import { wholeNumber } from '../support/arguments.js';

interface Options extends Omit<Plan, 'database' | 'longestFreezeMs' | 'allowedWriteGapMs' | 'slowness'> {
  database?: DatabaseKind[];
  longestFreeze: number;
  allowedWriteGap?: number;
}

function program(): Command {
  const number = (flags: string, description: string, fallback: number): Option =>
    new Option(flags, description).argParser(wholeNumber).default(fallback);
  return new Command('test:faults')
    .addOption(new Option('--seed <number>', 'of every choice; by default a new one').argParser(wholeNumber))
    .addOption(new Option('--database <kind...>', 'may be repeated; by default all').choices(DATABASE_KINDS))
    .addOption(number('--seconds <number>', 'how long each run goes on at least', 60))
    .addOption(number('--changes <number>', 'how many changes must be acknowledged in each run', 0))
    .addOption(number('--writers <number>', 'clients that write', 32))
    .addOption(number('--eager-readers <number>', 'synchronisers that never rest', 2))
    .addOption(number('--services <number>', 'processes on one database, 1 on SQLite', 2))
    .addOption(number('--workers <number>', 'processes that share the port of a service, 1 on SQLite', 1))
    .addOption(number('--service-kills <number>', 'kill -9 of a service', 6))
    .addOption(number('--database-kills <number>', 'kill -9 of the database', 5))
    .addOption(number('--service-freezes <number>', 'SIGSTOP of a service', 3))
    .addOption(number('--database-freezes <number>', 'SIGSTOP of the database', 3))
    .addOption(number('--worker-kills <number>', 'kill -9 of the worker that writes for its service', 0))
    .addOption(number('--worker-freezes <number>', 'SIGSTOP of it', 0))
    .addOption(
      number(
        '--channel-floods <number>',
        'more than the way to it takes, of the largest writes, while it is stopped',
        0,
      ),
    )
    .addOption(number('--longest-freeze <seconds>', 'how long one lasts at most', 6))
    .addOption(number('--proxy-faults <number>', 'delays, resets, lost COMMITs and lost answers to COMMIT', 40))
    .addOption(number('--prepared-transactions <number>', 'that slow the read views of MariaDB down', 0))
    .addOption(
      new Option('--allowed-write-gap <seconds>', 'for how long no write may be acknowledged').argParser(wholeNumber),
    )
    .addOption(number('--clock-steps <number>', 'of a service by −10 s, +1 h, −1 h and back; needs libfaketime', 0));
}

/** The line that runs one plan again. */
function replay({ plan }: Report): string {
  const { database, longestFreezeMs, allowedWriteGapMs, slowness: _, ...numbers } = plan;
  const seconds = { longestFreeze: longestFreezeMs / 1_000, allowedWriteGap: allowedWriteGapMs / 1_000 };
  const flags = Object.entries({ ...numbers, ...seconds })
    .filter(([, value]) => Number.isFinite(value))
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${value}`);
  return `npm run test:faults -- --database '${database}' ${flags.join(' ')}`;
}

function toldGap({ ms, endedAfter }: WriteGap): string {
  return `${Math.round(ms)} ms at ${Math.round(endedAfter)} s`;
}

function printReport(report: Report): void {
  const { plan, counts, measured, violations, server } = report;
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${Math.round(value)} ms`);
  const rows: Record<string, string | number> = {
    ...counts,
    'longest request, database frozen': ms(measured.longestInDatabaseFreeze),
    'the same, sent after 5 s of it': ms(measured.longestLateInDatabaseFreeze),
    'longest request, service frozen': ms(measured.longestInServiceFreeze),
    'service is started → first success': ms(measured.serviceBack),
    'database accepts → first write': ms(measured.databaseBack),
    'longest without a write': measured.writeGaps.map(toldGap).join(', ') || '–',
  };
  console.log(`\n${plan.database} (${server}), seed ${plan.seed}`);
  for (const [name, value] of Object.entries(rows)) console.log(`  ${name.padEnd(34)} ${value}`);
  console.log(violations.length === 0 ? '  no violation' : `  ${violations.length} VIOLATIONS`);
  for (const violation of violations) console.log(`  - ${violation}`);
  console.log(`  again: ${replay(report)}\n`);
}

async function main({ database, longestFreeze, allowedWriteGap = Infinity, ...options }: Options): Promise<void> {
  const seed = options.seed ?? randomInt(2 ** 31);
  console.log(`seed ${seed}`);
  if (options.clockSteps > 0 && findFakeTime() === undefined) {
    console.log('libfaketime is not installed (Debian: apt-get install libfaketime): the clock steps cannot be made');
    process.exit(1);
  }
  let violations = 0;
  for (const kind of database ?? DATABASE_KINDS) {
    console.log(`${kind}:`);
    const plan: Plan = {
      ...options,
      seed,
      database: kind,
      longestFreezeMs: longestFreeze * 1_000,
      allowedWriteGapMs: allowedWriteGap * 1_000,
      slowness: 1,
    };
    const report = await runFaults(plan, (line) => console.log(line));
    printReport(report);
    violations += report.violations.length;
  }
  if (options.clockSteps === 0) console.log('clock steps: none asked for (--clock-steps)');
  process.exit(violations === 0 ? 0 : 1);
}

// Options behind the name of a command are its own: both have some of the same name.
await program().enablePositionalOptions().action(main).addCommand(groups()).parseAsync();
