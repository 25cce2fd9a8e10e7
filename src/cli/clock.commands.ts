import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { operatorName } from '../auth/operator.js';
import { type ClockFault, clockBoundsIn, findClockFault } from '../feed/clock/clock-fault.js';
import { adviceOnClockFault, lengthInWords, describeClockFault } from '../feed/clock/clock-messages.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import type { CommandAudit } from '../database/repositories/accounts-repository.js';
import { type ClockDecision, ClockRepository, type KnownTime } from '../database/repositories/clock-repository.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { answerTo } from './confirmation.js';
import { withRegistry } from './with-registry.js';

/** The clocks as this command sees them. */
interface Clocks {
  systemUs: number;
  known: KnownTime;
  /** The fault of the clock that a service would find if it started now. */
  fault: ClockFault | undefined;
}

export function addClockCommands(program: Command): void {
  const clock = program
    .command('clock')
    .description('what the clocks say, whether the service believes them, and what to do')
    .action(() => withClocks(showClocks));
  clock
    .command('accept')
    .description('go on with the time as this machine has it, where the service does not believe it')
    .option('--yes', 'without asking')
    .action((options: { yes?: true }) => withClocks((clocks, registry) => accept(clocks, registry, options.yes)));
}

function withClocks(work: (clocks: Clocks, registry: INestApplicationContext) => Promise<void> | void): Promise<void> {
  return withRegistry(async (registry) => work(await readClocks(registry), registry));
}

/** The database has to be open. */
export async function readClocks(registry: INestApplicationContext): Promise<Clocks> {
  const nowUs = (): number => Date.now() * 1_000;
  const repository = registry.get(ClockRepository);
  // Once before: what a connection takes to be made would be taken for a doubt of the answer.
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
Database clock   ${databaseUs === undefined ? 'none: SQLite has none of its own' : print(databaseUs)}
Last instant     ${lastUs === 0 ? 'none yet' : print(lastUs)}
Last at work     ${seenUs === 0 ? 'not noted yet' : print(seenUs)}
Accepted lead    ${leadUs === 0 ? 'none' : lengthInWords(leadUs)}`);
  if (fault === undefined) console.log('\nThe clock is believed.');
  else
    console.log(
      `\nThe clock is in doubt, and services write nothing: ${describeClockFault(fault, print)}.\n${remedyOf(fault)}`,
    );
}

function printerOf(registry: INestApplicationContext): (us: number) => string {
  const time = registry.get(RegistryTime);
  return (us) => time.print(us);
}

/** What to do, with all that there is to choose from. */
function remedyOf(fault: ClockFault): string {
  if (fault.kind !== 'instants') return `What to do: ${adviceOnClockFault(fault)}.`;
  const ahead = lengthInWords(-fault.byUs);
  return `What to do:
- where the system's clock is wrong, set it right; services notice by themselves;
- where it is right, the instants were given out by a wrong clock. "registry clock accept" goes on from them: the order stays, and
  dateModified is ${ahead} ahead until the time has caught up; assetIDs have the days of the calendar;
- or restore a backup from before into an empty database: what was changed since is lost, and mirrors copy everything again.`;
}

async function accept(clocks: Clocks, registry: INestApplicationContext, isSure: boolean | undefined): Promise<void> {
  const { systemUs, known, fault } = clocks;
  if (fault === undefined) {
    console.log('There is nothing to decide: the clock is believed');
    return;
  }
  const print = printerOf(registry);
  if (fault.kind === 'server')
    throw new Error(
      `${describeClockFault(fault, print)}: which of them is right cannot be accepted; ${adviceOnClockFault(fault)}`,
    );
  const decision: ClockDecision = { seenUs: systemUs, leadUs: Math.max(known.lastUs - systemUs, 0) };
  showClocks(clocks, registry);
  if (isSure !== true && !(await confirms(`\nIs it ${print(systemUs)} now? Then type yes: `)))
    throw new Error('Nothing was decided');
  await registry.get(ClockRepository).decide(decision, auditedOf(decision, known));
  console.log(
    decision.leadUs === 0
      ? 'Accepted: services go on with this time within seconds'
      : `Accepted: services go on within seconds, and instants from ${print(known.lastUs)} on`,
  );
}

/** Where nobody can be asked, it is as good as no. */
async function confirms(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Error('Nobody can be asked here: "registry clock accept --yes" decides without asking');
  const answer = await answerTo(question, { input: process.stdin, output: process.stdout });
  return answer?.toLowerCase() === 'yes';
}

function auditedOf({ seenUs, leadUs }: ClockDecision, { lastUs }: KnownTime): CommandAudit {
  const detail = JSON.stringify({ lastUs, leadUs });
  return { us: seenUs, subject: 'clock', actor: operatorName(), action: 'clock.accept', detail };
}

/** What is done by a wrong clock stays for ever. @throws Error with a sentence for the operator */
export async function assertClock(registry: INestApplicationContext): Promise<void> {
  const time = registry.get(RegistryTime);
  const { fault } = await readClocks(registry);
  if (fault !== undefined)
    throw new Error(
      `${describeClockFault(fault, (us) => time.print(us))}: nothing was changed; ${adviceOnClockFault(fault)}`,
    );
}
