import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { decimal, wholeNumber } from '../../test/support/arguments.js';
import { ASSETS, type Owned, publish } from '../../test/support/assets.js';
import { rssOf } from '../../test/support/memory-use.js';
import { quantile } from '../../test/reliability/quantile.js';
import { sendTo } from '../../test/support/registry.js';
import { type DatabaseName, DATABASES, openDatabases } from '../databases.js';
import { migrate } from '../data-set/write.js';
import { folderFor } from '../folder.js';
import { UsageMeter } from '../load/usage.js';
import { machine } from '../machine.js';
import { tableOf } from '../report/markdown.js';
import { startRegistry, type Target } from '../targets.js';
import { sharedMs } from './followers.js';
import { FollowersThread } from './followers-thread.js';

const OWNED = 100;
const REST_MS = 2_000;
const READ_PAUSE_MS = 5;

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
    .option(`--database <name>`, DATABASES.join(' or '), 'sqlite')
    .option('--followers <number>', 'that follow as a stream of events', wholeNumber, 10_000)
    .option('--rate <number>', 'changes a second', wholeNumber, 50)
    .option('--seconds <number>', 'of the changes', decimal, 15)
    .action(measure);
}

async function measure({ database, followers: count, rate, seconds }: Options): Promise<void> {
  const databases = await openDatabases(database, folderFor(undefined));
  const { registry } = await databases.urlsFor(0);
  await migrate(registry);
  const target = await startRegistry(registry, 0, { DEMO_KEYS: '1' });
  try {
    const sender = { send: (path: string, options?: object) => sendTo(target.url, path, options) };
    const owned: Owned[] = [];
    for (let i = 0; i < OWNED; i++) owned.push(await publish(sender));
    const lines = [];
    for (const number of [1, count]) lines.push(await lineOf(target, owned, { number, rate, seconds }));
    const head = [
      'followers',
      'changes',
      'missed',
      'p50 ms',
      'p99 ms',
      'max ms',
      'read p99 ms',
      'CPU',
      'idle CPU',
      'MB',
    ];
    console.log(`${machine()}; ${databases.origin}\n\n${tableOf(head, lines)}`);
  } finally {
    await target.stop();
    await databases.stop();
  }
}

interface Load {
  number: number;
  rate: number;
  seconds: number;
}

async function lineOf(target: Target, owned: readonly Owned[], { number, rate, seconds }: Load): Promise<string[]> {
  const { json } = await sendTo(target.url, `${ASSETS}?limit=1&descending=1`);
  const wanted = { url: target.url, offset: json.data[0].dateModified, count: number };
  const followers = await FollowersThread.open(wanted);
  const pids = { service: target.pids, database: [] };
  await sleep(REST_MS);
  const idle = new UsageMeter(pids);
  await sleep(5 * REST_MS);
  const idleShare = idle.stop().service / ((5 * REST_MS) / 1_000);
  const busy = new UsageMeter(pids);
  const reads = readWhile(target.url, owned);
  const answeredMs = await change(target.url, owned, rate, seconds);
  const readMs = await reads.stop();
  const { service } = busy.stop();
  await sleep(REST_MS);
  const megabytes = rssOf(target.pids[0] as number) / 1024 / 1024;
  const { reachedMs, fewest } = await followers.close();
  const late = answeredMs.map((ms, i) => (reachedMs[i + 1] ?? Infinity) - ms).toSorted((a, b) => a - b);
  await sleep(REST_MS);
  return [
    String(number),
    String(answeredMs.length),
    String(answeredMs.length - fewest),
    ...[0.5, 0.99, 1].map((share) => quantile(late, share).toFixed(0)),
    quantile(readMs, 0.99).toFixed(1),
    `${((service / seconds) * 100).toFixed(0)} %`,
    `${(idleShare * 100).toFixed(1)} %`,
    megabytes.toFixed(0),
  ];
}

/** Changes assets in turn, at an even rate. @returns when each change was answered, in the order of the answers */
async function change(url: string, owned: readonly Owned[], rate: number, seconds: number): Promise<number[]> {
  const answeredMs: number[] = [];
  const beganMs = performance.now();
  const all: Promise<void>[] = [];
  for (let i = 0; i < rate * seconds; i++) {
    const { id, token } = owned[i % owned.length] as Owned;
    const body = { data: { title: `Title ${i} of ${beganMs}` } };
    const headers = { 'X-Access-Token': token };
    const sent = sendTo(url, `${ASSETS}/${id}`, { method: 'PATCH', key: 'broker', body, headers });
    all.push(
      sent.then(({ status, text }) => {
        if (status !== 200) throw new Error(`PATCH answered ${status}: ${text}`);
        answeredMs.push(sharedMs());
      }),
    );
    await sleep(Math.max(0, beganMs + ((i + 1) * 1_000) / rate - performance.now()));
  }
  await Promise.all(all);
  return answeredMs;
}

/** Reads single assets one after the other. */
function readWhile(url: string, owned: readonly Owned[]): { stop(): Promise<number[]> } {
  let isOver = false;
  const took: number[] = [];
  const reading = (async () => {
    for (let i = 0; !isOver; i++) {
      const beganMs = performance.now();
      await sendTo(url, `${ASSETS}/${(owned[i % owned.length] as Owned).id}`);
      took.push(performance.now() - beganMs);
      await sleep(READ_PAUSE_MS);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await reading;
      return took.toSorted((a, b) => a - b);
    },
  };
}
