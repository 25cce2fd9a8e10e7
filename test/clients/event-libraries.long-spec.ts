import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { type Entry, follow as followPages } from '../support/pages.js';
import { ServiceProcess } from '../support/process.js';
import { type Sender, sendTo } from '../support/registry.js';
import { until } from '../support/until.js';
import { eventLibraries, type EventLibrary } from './event-libraries.js';

const KILLS = 4;
const WRITERS = 4;
/** Events that each library reads before the next kill. */
const READ_BEFORE_KILL = 40;

/** Events that one library has delivered, in its order. */
interface Follower {
  name: string;
  seen: Entry[];
  end: () => void;
}

describe.each(databases)(`libraries that follow ${KILLS} kill -9 of the service on $name`, (kind) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let service: ServiceProcess;
  const registry: Sender = { send: (path, options) => sendTo(service.url, path, options) };
  let followers: Follower[] = [];
  let isOver = false;
  /** Assets on the pages at the end. */
  let listed: Entry[];

  const kill = async (): Promise<void> => {
    const before = followers.map(({ seen }) => seen.length);
    await until(() => followers.every(({ seen }, i) => seen.length >= (before[i] as number) + READ_BEFORE_KILL));
    await service.kill('SIGKILL');
    service = await ServiceProcess.start(env);
  };

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    env = { DATABASE_URL: database.url, PORT: String(await findFreePort()) };
    service = await ServiceProcess.start(env);
    const assets = await Promise.all(Array.from({ length: WRITERS }, () => publish(registry)));
    followers = eventLibraries.map((library) => followWith(library, `${service.url}${ASSETS}?opt_fields=*`));
    const writing = assets.map((owned) => write(registry, owned, () => isOver));
    for (let kills = 0; kills < KILLS; kills++) await kill();
    isOver = true;
    await Promise.all(writing);
    const { id } = await publish(registry);
    await until(() => followers.every(({ seen }) => seen.at(-1)?.id === id));
    listed = await followPages(registry, `${ASSETS}?opt_fields=*`);
  });
  afterAll(async () => {
    isOver = true;
    for (const { end } of followers) end();
    await service.kill('SIGTERM');
    await database.drop();
  });

  it('double no change, and hand them on in their order', () => {
    for (const { name, seen } of followers) {
      const instants = seen.map(({ dateModified }) => dateModified);
      expect([name, instants]).toEqual([name, [...new Set(instants)].toSorted()]);
    }
  });

  it('miss no change: the last state of each asset is that of the pages', () => {
    for (const { name, seen } of followers) {
      const latest = new Map(seen.map((entry) => [entry.id, entry]));
      expect([name, [...latest.values()].toSorted(byInstant)]).toEqual([name, listed]);
    }
  });
});

function followWith({ name, follow }: EventLibrary, url: string): Follower {
  const seen: Entry[] = [];
  return { name, seen, end: follow(url, fetch, (data) => seen.push(JSON.parse(data) as Entry)) };
}

/** Publishes assets and changes one until the end; requests that fail while the service is down are not repeated. */
async function write(registry: Sender, owned: Owned, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    await publish(registry).catch(() => undefined);
    await change(registry, owned, { title: `${i}` }).catch(() => undefined);
    await sleep(5);
  }
}

function byInstant(one: Entry, other: Entry): number {
  return one.dateModified < other.dateModified ? -1 : 1;
}
