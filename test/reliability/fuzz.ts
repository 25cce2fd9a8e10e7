import { randomInt } from 'node:crypto';
import cliProgress from 'cli-progress';
import { Command, Option } from 'commander';
import { fuzz, type Outcome, type Plan, toldFault } from '../fuzz/fuzz.js';
import { type OwnService, startOwnService } from './own-service.js';
import { wholeNumber } from '../support/arguments.js';

interface Options {
  requests: number;
  seed?: number;
  only?: number;
  clients: number;
  database: 'sqlite' | 'mariadb';
}

const SLOWEST_MS = 1_000;
const TOLD_EVERY_MS = 10_000;

/** `fuzz`: requests that nobody would write, from a seed, and a judge of every answer. */
export const fuzzCommand = new Command('fuzz')
  .description('sends requests that nobody would write, and judges every answer')
  .addOption(new Option('--requests <number>').argParser(wholeNumber).default(100_000))
  .addOption(new Option('--seed <number>', 'of every choice; by default a new one').argParser(wholeNumber))
  .addOption(new Option('--only <story>', 'one story alone, as a fault names it').argParser(wholeNumber))
  .addOption(new Option('--clients <number>').argParser(wholeNumber).default(64))
  .addOption(new Option('--database <kind>').choices(['sqlite', 'mariadb']).default('sqlite'))
  .action(run);

async function run({ requests, seed = randomInt(2 ** 31), only, clients, database }: Options): Promise<void> {
  console.log(`seed ${seed}`);
  const plan: Plan = { seed, requests, clients, ...(only !== undefined && { only }) };
  const service = await startOwnService(database);
  try {
    const before = service.memory();
    const began = performance.now();
    const outcome = await withProgress(service, plan);
    const seconds = (performance.now() - began) / 1_000;
    print(outcome, seconds);
    console.log(`memory of the service: ${before} MB before, ${service.memory()} MB after`);
  } finally {
    await service.stop();
  }
}

async function withProgress({ url }: OwnService, plan: Plan): Promise<Outcome> {
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage}% {value} requests, {eta_formatted} to go',
    noTTYOutput: true,
    notTTYSchedule: TOLD_EVERY_MS,
  });
  bar.start(plan.requests, 0);
  try {
    return await fuzz(url, plan, (requests) => bar.update(Math.min(requests, plan.requests)));
  } finally {
    bar.stop();
  }
}

function print({ requests, stories, assets, slowestMs, faults }: Outcome, seconds: number): void {
  for (const fault of faults) console.log(toldFault(fault));
  console.log(`${requests} requests in ${stories} stories, ${assets} assets, ${Math.round(seconds)} s`);
  console.log(`${faults.length} faults, the slowest answer took ${Math.round(slowestMs)} ms`);
  if (faults.length > 0 || slowestMs > SLOWEST_MS) process.exitCode = 1;
}
