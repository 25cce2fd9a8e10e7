import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import {
  commitmentOf,
  hasSigned,
  leafOf,
  LOG,
  merkleRoot,
  readLog,
  type SeenCheckpoint,
  type SeenEntry,
} from '../support/log-reader.js';
import { CheckpointWatch, microsOf, publicStatesOf } from '../support/log-watch.js';
import { migrate } from '../support/migrated.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { type Sender, sendTo } from '../support/registry.js';
import { until } from '../support/until.js';

const SEED = 5_200;
/** By hand: LOG_KILLS=100. */
const KILLS = Number(process.env.LOG_KILLS ?? 4);
const WRITERS = 3;
const CHANGES_A_ROUND = 40;
/** New checkpoints before a process is killed, so that the log is being written. */
const CHECKPOINTS_A_ROUND = 2;
const REST_MS = 40;

describe.each(databases)(`the log under ${KILLS} kill -9 and concurrent writers on $name, seed ${SEED}`, (kind) => {
  let database: TestDatabase;
  /** Two where a server may have two. */
  let services: ServiceProcess[];
  let watch: CheckpointWatch;
  let sent = 0;
  const env = { LOG_KEY: newLogKey('registry.example.org/log') };
  const sender: Sender = {
    send: (path, options) => sendTo(services[sent++ % services.length]?.url ?? '', path, options),
  };
  const start = (): Promise<ServiceProcess> => ServiceProcess.start({ ...env, DATABASE_URL: database.url });

  /** Creates, changes and deletes; what fails is tried no more. @param wrote called for each that was done */
  async function write(random: Random, isOver: () => boolean, wrote: () => void): Promise<void> {
    let assets: Owned[] = [];
    while (!isOver()) {
      const owned = assets.length === 0 || random.chance(0.2) ? undefined : random.pick(assets);
      const isEnd = owned !== undefined && random.chance(0.1);
      try {
        if (owned === undefined) assets.push(await publish(sender, { title: `new ${random.int(1, 1e9)}` }));
        else {
          const to = isEnd ? { status: 'deleted' } : { title: `title ${random.int(1, 1e9)}` };
          const { status } = await change(sender, owned, to);
          if (status !== 200) throw new Error(`PATCH answered ${status}`);
        }
      } catch {
        // The service does not answer while it starts, and 503 is correct on a stalled machine.
        await sleep(REST_MS);
        continue;
      }
      if (isEnd) assets = assets.filter((one) => one !== owned);
      wrote();
      await sleep(REST_MS);
    }
  }

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    services = kind.name === 'SQLite' ? [await start()] : [await start(), await start()];
    watch = new CheckpointWatch(sender);
    const random = new Random(SEED);
    for (let round = 0; round < KILLS; round++) {
      let left = CHANGES_A_ROUND;
      const published = watch.count + CHECKPOINTS_A_ROUND;
      let enough = (): void => undefined;
      const victim = round % services.length;
      const killed = new Promise<void>((resolve) => (enough = resolve)).then(async () => {
        await services[victim]?.kill('SIGKILL');
        services[victim] = await start();
      });
      let ended = false;
      void killed.finally(() => (ended = true));
      const isOver = (): boolean => ended;
      const wrote = (): void => {
        if (--left <= 0 && watch.count >= published) enough();
      };
      await Promise.all([killed, ...Array.from({ length: WRITERS }, () => write(random.fork(), isOver, wrote))]);
    }
  }, 300_000);
  afterAll(async () => {
    await watch?.stop();
    for (const service of services ?? []) await service.kill('SIGTERM');
    await database?.drop();
  });

  let entries: SeenEntry[];

  it('has each public state that the histories show, once, in their order', async () => {
    const states = await publicStatesOf(sender);
    await until(async () => Number((await sender.send(`${LOG}/checkpoint`)).text.split('\n')[1]) >= states.length);
    entries = await readLog(sender, 1_000);
    const recorded = entries.map(({ entry }) => JSON.parse(entry) as { id: string; dateModified: string });
    expect(recorded.map(({ id, dateModified }) => [id, microsOf(dateModified)])).toEqual(
      states.map(({ id, us }) => [id, us]),
    );
    // The last of them may be the last thing that a process did.
    expect(states.length).toBeGreaterThanOrEqual(KILLS * CHANGES_A_ROUND);
    for (const [i, { id, dateModified }] of states.entries()) {
      const { json } = await retryUnavailable(() =>
        sender.send(`${ASSETS}/${id}?at=${encodeURIComponent(dateModified)}`),
      );
      const { entry, asset, opening } = entries[i] as SeenEntry;
      expect(asset).toEqual(json.data);
      const { commitment } = JSON.parse(entry) as { commitment: string };
      const { secret } = opening as { secret: string };
      expect(commitment).toBe(commitmentOf(json.data, secret));
    }
  });

  it('has grown from each checkpoint that there was', async () => {
    const seen: SeenCheckpoint[] = await watch.stop();
    const { publicKey } = (await sender.send('/api/0.1/spore')).json.log as { publicKey: string };
    const leaves = entries.map(({ entry }) => leafOf(entry));
    expect(new Set(seen.map(({ size }) => size)).size).toBeGreaterThanOrEqual(KILLS * CHECKPOINTS_A_ROUND);
    expect(seen.map(({ size }) => size)).toEqual(seen.map(({ size }) => size).toSorted((one, other) => one - other));
    for (const { note, size, root } of seen) {
      expect(hasSigned(publicKey, note)).toBe(true);
      expect(merkleRoot(leaves.slice(0, size)).toString('base64')).toBe(root);
    }
  });
});
