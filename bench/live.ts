import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../test/support/arguments.js';
import { ASSETS, type Owned, publish } from '../test/support/assets.js';
import { megabytesOf } from '../test/support/memory-use.js';
import { quantile } from '../test/support/quantile.js';
import { type Sender, sendTo } from '../test/support/registry.js';
import { migrate } from './data-set.js';
import { openFollowers, sharedMs } from './followers.js';
import { machine, printHead, printRow, whole } from './table.js';
import { type DatabaseName, DATABASES, openDatabases, startTarget, type Target } from './targets.js';
import { startMeter } from './usage.js';

const OWNED = 100;
const REST_MS = 2_000;

interface Options {
  database: DatabaseName;
  followers: number;
  rate: number;
  seconds: number;
}

export function addLive(program: Command): void {
  program
    .command('live')
    .description('how long a change takes to all who follow live, and what they cost')
    .addOption(new Option('--database <name>').choices(DATABASES).default('sqlite'))
    .option('--followers <number>', 'that follow as a stream of events', wholeNumber, 1_000)
    .option('--rate <number>', 'changes a second', wholeNumber, 50)
    .option('--seconds <number>', 'of the changes', decimal, 15)
    .action(measureLive);
}

async function measureLive({ database, followers, rate, seconds }: Options): Promise<void> {
  const databases = await openDatabases(database);
  try {
    const url = await databases.create('registry');
    await migrate(url);
    const target = await startTarget('registry', url, databases.pid);
    try {
      const registry: Sender = { send: (path, options) => sendTo(target.url, path, options) };
      const owned = await Promise.all(Array.from({ length: OWNED }, () => publish(registry)));
      console.log(`${machine()}; ${databases.origin}\n`);
      printHead(['followers', 'changes', 'missed', 'p50 ms', 'p99 ms', 'max ms', 'CPU', 'MB']);
      for (const count of [1, followers]) printRow(await rowOf(target, owned, count, { rate, seconds }));
    } finally {
      await target.stop();
    }
  } finally {
    await databases.stop();
  }
}

/** Times run from the answer of a change to its arrival at the last follower. */
async function rowOf(
  { url, pids }: Target,
  owned: readonly Owned[],
  count: number,
  { rate, seconds }: Pick<Options, 'rate' | 'seconds'>,
): Promise<string[]> {
  const { json } = await sendTo(url, `${ASSETS}?limit=1&descending=1`);
  const close = await openFollowers({ url, offset: json.data[0].dateModified, count });
  await sleep(REST_MS);
  const meter = startMeter(pids);
  const answeredMs = await change(url, owned, rate, seconds);
  const { service } = meter();
  await sleep(REST_MS);
  const { reachedMs, fewest } = await close();
  const late = answeredMs.map((answered, i) => (reachedMs[i + 1] ?? Infinity) - answered);
  return [
    whole(count),
    whole(answeredMs.length),
    whole(answeredMs.length - fewest),
    ...[0.5, 0.99, 1].map((share) => quantile(late, share).toFixed(0)),
    `${((service / seconds) * 100).toFixed(0)} %`,
    whole(megabytesOf(pids.service)),
  ];
}

/** Changes the assets one after another, at an even rate. @returns when each change was answered, in the order of the answers */
async function change(url: string, owned: readonly Owned[], rate: number, seconds: number): Promise<number[]> {
  const answeredMs: number[] = [];
  const beganMs = performance.now();
  const changeOne = async (i: number): Promise<void> => {
    const { id, token } = owned[i % owned.length] as Owned;
    const body = { data: { title: `Title ${i} of ${beganMs}` } };
    const headers = { 'X-Access-Token': token };
    const { status, text } = await sendTo(url, `${ASSETS}/${id}`, { method: 'PATCH', key: 'broker', body, headers });
    if (status !== 200) throw new Error(`PATCH answered ${status}: ${text}`);
    answeredMs.push(sharedMs());
  };
  const all: Promise<void>[] = [];
  for (let i = 0; i < rate * seconds; i++) {
    all.push(changeOne(i));
    await sleep(Math.max(0, beganMs + ((i + 1) * 1_000) / rate - performance.now()));
  }
  await Promise.all(all);
  return answeredMs;
}
