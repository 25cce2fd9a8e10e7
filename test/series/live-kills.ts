import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { EventClient } from '../support/event-client.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { sendTo } from '../support/registry.js';

const WRITERS = 4;
const ACKNOWLEDGED_BEFORE_KILL = 20;
const MOST_MS = 3_600_000;

/** A client that comes again with the last event that it has seen, whole. */
class Follower {
  readonly ids: string[] = [];
  readonly assets = new Set<string>();
  private client: EventClient | undefined;

  async follow(url: string): Promise<void> {
    const last = this.ids.at(-1);
    this.client = await EventClient.open(url, last === undefined ? {} : { headers: { 'Last-Event-ID': last } });
  }

  /** Until it has that event, or the connection is over. */
  async until(id: string): Promise<void> {
    await this.client?.until(() => this.client?.ids.at(-1) === id);
  }

  /** Keeps what came. */
  async leave(isKilled: boolean): Promise<void> {
    if (isKilled) await this.client?.isOver();
    else this.client?.close();
    for (const { id, dateModified } of this.client?.entries ?? []) {
      this.ids.push(dateModified);
      this.assets.add(id);
    }
  }
}

/** The tests of a service that is killed so often under so many who follow it live, while assets are published, on each database. */
export function describeLiveKills(kills: number, followers: number): void {
  describe.each(databases)(`${kills} kill -9 of the service under ${followers} followers on $name`, (kind) => {
    let database: TestDatabase;
    const acknowledged: string[] = [];
    const all = Array.from({ length: followers }, () => new Follower());

    /** Publishes until the service is killed under it. */
    async function write(service: ServiceProcess, enough: () => void): Promise<void> {
      const target = { send: (path: string, options?: object) => sendTo(service.url, path, options) };
      let isKilled = false;
      void service.end.then(() => (isKilled = true));
      while (!isKilled) {
        const owned = await publish(target).catch(() => undefined);
        if (owned === undefined) continue;
        acknowledged.push(owned.id);
        if (acknowledged.length % ACKNOWLEDGED_BEFORE_KILL === 0) enough();
      }
    }

    beforeAll(async () => {
      database = await kind.create();
      const env = { DATABASE_URL: database.url };
      await migrate(database.url);
      for (let round = 0; round < kills; round++) {
        const service = await ServiceProcess.start(env);
        await Promise.all(all.map((follower) => follower.follow(service.url)));
        let enough!: () => void;
        const reached = new Promise<void>((resolve) => (enough = resolve));
        const writers = Array.from({ length: WRITERS }, () => write(service, enough));
        await reached;
        await service.kill('SIGKILL');
        await Promise.all([...writers, ...all.map((follower) => follower.leave(true))]);
      }
      const service = await ServiceProcess.start(env);
      const target = { send: (path: string, options?: object) => sendTo(service.url, path, options) };
      await Promise.all(all.map((follower) => follower.follow(service.url)));
      const { asset } = await publish(target);
      await Promise.all(all.map((follower) => follower.until(asset.dateModified)));
      await Promise.all(all.map((follower) => follower.leave(false)));
      await service.kill('SIGTERM');
    }, MOST_MS);
    afterAll(() => database?.drop());

    it('have nothing missed, by any of them', () => {
      expect(acknowledged.length).toBeGreaterThanOrEqual(kills * ACKNOWLEDGED_BEFORE_KILL);
      for (const { assets } of all) expect(acknowledged.filter((id) => !assets.has(id))).toEqual([]);
    });

    it('have nothing given twice, or in another order', () => {
      for (const { ids } of all) expect(ids).toEqual([...new Set(ids)].toSorted());
    });
  });
}
