import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, type JsonObject, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { sendTo } from '../support/registry.js';

const RIVALS = 8;
const POOL = 120;
const GROUPS_BEFORE_KILL = 40;

/** The tests of a service that is killed so often while rivals link groups of the same assets, on each database. */
export function describeGroupKills(kills: number): void {
  describe.each(databases)(`${kills} kill -9 of the service that links groups on $name`, (kind) => {
    let database: TestDatabase;
    let ids: string[];
    /** By the lot: the assets that were to be linked to it as one. */
    const asked = new Map<string, readonly string[]>();
    const acknowledged = new Set<string>();
    /** By the lot: the assets that were linked to it, ever. */
    const linked = new Map<string, string[]>();

    /** Links groups, each to a lot of its own, until the service is killed under it. */
    async function link(url: string, random: Random, enough: () => void): Promise<void> {
      for (;;) {
        const share = random.next();
        const group = ids.filter(() => random.chance(share));
        if (group.length === 0) continue;
        const relatedLot = (asked.size + 1).toString(16).padStart(32, '0');
        asked.set(relatedLot, group);
        const data = group.map((id) => ({ id, relatedLot }));
        const reply = await sendTo(url, ASSETS, { method: 'PATCH', key: 'concierge', body: { data } }).catch(() => undefined); // prettier-ignore
        if (reply === undefined) return;
        if (reply.status !== 200) throw new Error(`PATCH answered ${reply.status}: ${reply.text}`);
        acknowledged.add(relatedLot);
        if (acknowledged.size % GROUPS_BEFORE_KILL === 0) enough();
      }
    }

    async function readHistory(url: string, id: string): Promise<void> {
      let path = `${ASSETS}/${id}/history?limit=1000`;
      for (;;) {
        const { json } = await sendTo(url, path);
        const states = json.data as JsonObject[];
        if (states.length === 0) return;
        for (const { relatedLot } of states)
          if (typeof relatedLot === 'string') linked.set(relatedLot, [...(linked.get(relatedLot) ?? []), id]);
        path = json.next_page.path;
      }
    }

    beforeAll(async () => {
      database = await kind.create();
      const env = { DATABASE_URL: database.url };
      await migrate(database.url);
      const random = new Random(kills);
      for (let round = 0; round < kills; round++) {
        const service = await ServiceProcess.start(env);
        const target = { send: (path: string, options?: object) => sendTo(service.url, path, options) };
        ids ??= (await Promise.all(Array.from({ length: POOL }, () => publish(target)))).map(({ id }) => id);
        let enough!: () => void;
        const reached = new Promise<void>((resolve) => (enough = resolve));
        const rivals = Array.from({ length: RIVALS }, () => link(service.url, random.fork(), enough));
        await Promise.race([reached, Promise.all(rivals)]);
        await service.kill('SIGKILL');
        await Promise.all(rivals);
      }
      const service = await ServiceProcess.start(env);
      for (const id of ids) await readHistory(service.url, id);
      await service.kill('SIGTERM');
    }, 120_000);
    afterAll(() => database?.drop());

    it('links no group by half', () => {
      for (const [lot, members] of linked) expect([lot, members.toSorted()]).toEqual([lot, asked.get(lot)?.toSorted()]);
    });

    it('loses none that was acknowledged', () => {
      expect(acknowledged.size).toBeGreaterThanOrEqual(kills * GROUPS_BEFORE_KILL);
      expect([...acknowledged].filter((lot) => !linked.has(lot))).toEqual([]);
    });
  });
}
