import { type Command, Option } from 'commander';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { wholeNumber } from '../support/arguments.js';
import { metricsOf } from '../support/metrics.js';
import { ATTACKS, atPeace, type Begin, endure, type Hardship, publishHeavy } from './hostile-data.js';
import type { Served } from './others.js';
import { OwnProcess } from './own-process.js';
import { startOwnService } from './own-service.js';

interface Options {
  database: 'sqlite' | 'mariadb';
  seconds: number;
  attackers: number;
  only?: string;
}

const HEAVY = 30;
const PEACE_MS = 5_000;
/** What must hold; times in milliseconds, memory in MB. */
const MOST = { heldMs: 100, memoryMb: 512, readsTimes: 5, writesP99: 2_000 };
/** Below that nobody notices, whatever it was before. */
const UNNOTICED_MS = 10;

/** Ends with 1 when a bound is broken. */
export function addHostileData(program: Command): void {
  program
    .command('hostile-data')
    .description(
      'the heaviest data and requests that there may be, beside others: event loop, memory, times of the others',
    )
    .addOption(new Option('--database <name>').choices(['sqlite', 'mariadb']).default('sqlite'))
    .option('--seconds <number>', 'of each attack', wholeNumber, 10)
    .option('--attackers <number>', 'at the same time', wholeNumber, 4)
    .option('--only <words>', 'attacks whose names have these words')
    .action(run);
}

async function run({ database, seconds, attackers, only = '' }: Options): Promise<void> {
  const port = await findFreePort();
  const service = await startOwnService(database, (folder) => ({
    METRICS_PORT: String(port),
    SEARCH_INDEX: `${folder}/search.sqlite`,
    NODE_ENV: 'test',
    // As in production.
    RATE_LIMIT: 'on',
  }));
  const { url } = service;
  const metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const others = OwnProcess.start<Served>(['others', url]);
  const begin: Begin = async () => {
    await others.ask('begin');
    return { stop: () => others.ask('stop') };
  };
  try {
    const heavy = await publishHeavy(url, HEAVY);
    const peace = await atPeace({ url, metricsUrl }, PEACE_MS, begin);
    console.log(
      `Without attackers: reads p99 ${peace.readsP99.toFixed(1)} ms, writes p99 ${peace.writesP99.toFixed(1)} ms`,
    );
    const broken: string[] = [];
    for (const attack of Object.keys(ATTACKS).filter((name) => name.includes(only))) {
      const bounds = { attackers, rounds: Infinity, ms: seconds * 1_000 };
      const hardship = await endure({ url, metricsUrl }, heavy, attack, bounds, begin);
      print(hardship);
      broken.push(...brokenBy(hardship, peace.readsP99).map((bound) => `${attack}: ${bound}`));
      await metricsOf(metricsUrl);
    }
    for (const bound of broken) console.log(`BROKEN: ${bound}`);
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    await others.stop();
    await service.stop();
  }
}

function print({ attack, answers, heldMs, memoryMb, readsP99, writesP99 }: Hardship): void {
  const told = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
  console.log(
    `${attack.padEnd(34)} held ${heldMs.toFixed(0).padStart(5)} ms, ${memoryMb.toFixed(0).padStart(4)} MB, ` +
      `reads ${readsP99.toFixed(1).padStart(6)} ms, writes ${writesP99.toFixed(1).padStart(6)} ms; ${told.join(', ')}`,
  );
}

function brokenBy({ heldMs, memoryMb, readsP99, writesP99, failed, answers }: Hardship, peaceMs: number): string[] {
  return [
    ...(heldMs > MOST.heldMs ? [`the event loop was held for ${heldMs.toFixed(0)} ms`] : []),
    ...(memoryMb > MOST.memoryMb ? [`${memoryMb.toFixed(0)} MB`] : []),
    ...(readsP99 > Math.max(MOST.readsTimes * peaceMs, UNNOTICED_MS)
      ? [`reads of others: p99 ${readsP99.toFixed(1)} ms`]
      : []),
    ...(writesP99 > MOST.writesP99 ? [`writes of others: p99 ${writesP99.toFixed(0)} ms`] : []),
    ...(failed.length > 0 ? [`${failed.length} requests of others failed: ${failed[0]}`] : []),
    ...(answers['500'] === undefined ? [] : [`${answers['500']} answers were 500`]),
  ];
}
