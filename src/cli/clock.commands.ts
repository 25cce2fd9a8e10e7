import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { operatorName } from '../auth/operator.js';
import { type ClockFault, clockBoundsIn, findClockFault } from '../feed/clock/clock-fault.js';
import { adviceOnClockFault, formatDuration, describeClockFault } from '../feed/clock/clock-messages.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import type { CommandAudit } from '../database/repositories/accounts-repository.js';
import { type ClockDecision, ClockRepository, type KnownTime } from '../database/repositories/clock-repository.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { promptAt } from './confirmation.js';
import { withRegistry } from './with-registry.js';

interface Clocks {
  systemUs: number;
  known: KnownTime;
  /** The clock fault that a service would find if it started now. */
  fault: ClockFault | undefined;
}

export function addClockCommands(program: Command): void {
  const clock = program
    .command('clock')
    .description('show the clocks, whether the service trusts them, and what to do')
    .action(() => withClocks(showClocks));
  clock
    .command('accept')
    .description('make the service trust the system clock of this machine')
    .option('--yes', 'without confirmation')
    .action((options: { yes?: true }) => withClocks((clocks, registry) => accept(clocks, registry, options.yes)));
}

function withClocks(work: (clocks: Clocks, registry: INestApplicationContext) => Promise<void> | void): Promise<void> {
  return withRegistry(async (registry) => work(await readClocks(registry), registry));
}

/** Requires an open database. */
async function readClocks(registry: INestApplicationContext): Promise<Clocks> {
  const nowUs = (): number => Date.now() * 1_000;
  const repository = registry.get(ClockRepository);
  // A first read opens the connection, which would otherwise add to the uncertainty of the measured time.
  await repository.read();
  const fromUs = nowUs();
  const known = await repository.read();
  const toUs = nowUs();
  const fault = findClockFault({ fromUs, toUs }, known, clockBoundsIn(registry.get<Config>(CONFIG)));
  return { systemUs: toUs, known, fault };
}

function showClocks({ systemUs, known, fault }: Clocks, registry: INestApplicationContext): void {
  const { databaseUs, lastUs, seenUs, leadUs } = known;
  const print = printerOf(registry);
  console.log(`System clock     ${print(systemUs)}
Database clock   ${databaseUs === undefined ? 'none: SQLite has no clock' : print(databaseUs)}
Last instant     ${lastUs === 0 ? 'none yet' : print(lastUs)}
Last at work     ${seenUs === 0 ? 'not recorded yet' : print(seenUs)}
Accepted lead    ${leadUs === 0 ? 'none' : formatDuration(leadUs)}`);
  if (fault === undefined) console.log('\nThe clock is trusted.');
  else
    console.log(
      `\nThe clock is in doubt, and services write nothing: ${describeClockFault(fault, print)}.\n${remedyOf(fault)}`,
    );
}

function printerOf(registry: INestApplicationContext): (us: number) => string {
  const time = registry.get(RegistryTime);
  return (us) => time.print(us);
}

/** All ways to repair a fault. */
function remedyOf(fault: ClockFault): string {
  if (fault.kind !== 'instants') return `What to do: ${adviceOnClockFault(fault)}.`;
  const ahead = formatDuration(-fault.aheadUs);
  return `What to do:
- if the system clock is wrong, correct it; services notice it;
- if it is right, a wrong clock issued the instants. "registry clock accept" continues after them: the order is kept, and dateModified is
  ${ahead} ahead until the time has caught up; assetIDs have the days of the calendar;
- or restore an earlier backup into an empty database: later changes are lost, and mirrors copy everything again.`;
}

async function accept(clocks: Clocks, registry: INestApplicationContext, isSure: boolean | undefined): Promise<void> {
  const { systemUs, known, fault } = clocks;
  if (fault === undefined) {
    console.log('Nothing to accept: the clock is trusted');
    return;
  }
  const print = printerOf(registry);
  if (fault.kind === 'server')
    throw new Error(
      `${describeClockFault(fault, print)}: "clock accept" does not help here; ${adviceOnClockFault(fault)}`,
    );
  const decision: ClockDecision = { seenUs: systemUs, leadUs: Math.max(known.lastUs - systemUs, 0) };
  showClocks(clocks, registry);
  if (isSure !== true && !(await isConfirmed(`\nIs it ${print(systemUs)} now? Then type yes: `)))
    throw new Error('Not confirmed: nothing was changed');
  await registry.get(ClockRepository).decide(decision, auditedOf(decision, known));
  console.log(
    decision.leadUs === 0
      ? 'Accepted: services use this time within seconds'
      : `Accepted: services write again within seconds, and new instants follow ${print(known.lastUs)}`,
  );
}

/** @throws Error without a terminal */
async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('There is no terminal to confirm at: use "registry clock accept --yes"');
  const answer = await promptAt({ input: process.stdin, output: process.stdout }, question);
  return answer?.toLowerCase() === 'yes';
}

function auditedOf({ seenUs, leadUs }: ClockDecision, { lastUs }: KnownTime): CommandAudit {
  const detail = JSON.stringify({ lastUs, leadUs });
  return { us: seenUs, subject: 'clock', actor: operatorName(), action: 'clock.accept', detail };
}

/** A wrong instant can never be corrected. @throws Error with a sentence for the operator if the clock is in doubt */
export async function assertClockTrusted(registry: INestApplicationContext): Promise<void> {
  const time = registry.get(RegistryTime);
  const { fault } = await readClocks(registry);
  if (fault !== undefined)
    throw new Error(
      `${describeClockFault(fault, (us) => time.print(us))}: nothing was changed; ${adviceOnClockFault(fault)}`,
    );
}
