import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { sendTo, zoneAtNoon } from '../support/registry.js';

const WRITERS = 8;
const ACKNOWLEDGED_BEFORE_KILL = 25;

interface Created {
  id: string;
  assetID: string;
}

/** @returns undefined where it is refused, as may be where the machine has stood still for long */
async function post(url: string): Promise<Created | undefined> {
  const { status, json } = await sendTo(url, ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
  return status === 201 ? json.data : undefined;
}

/** The tests of a service that is killed so often while assets are created, on each database. */
export function describeServiceKills(kills: number): void {
  describe.each(databases)(`${kills} kill -9 of the service on $name`, (kind) => {
    let database: TestDatabase;
    const acknowledged = new Map<string, string>();
    const listed = new Map<string, string>();
    /** Nobody knows whether they were kept. */
    let refused = 0;

    /** Creates until the service is killed under it; only an answer counts. */
    async function write(url: string, enough: () => void): Promise<void> {
      for (;;) {
        const asset = await post(url).catch(() => 'killed' as const);
        if (asset === 'killed') return;
        if (asset === undefined) refused++;
        else if (acknowledged.set(asset.id, asset.assetID).size % ACKNOWLEDGED_BEFORE_KILL === 0) enough();
      }
    }

    beforeAll(async () => {
      database = await kind.create();
      const env = { DATABASE_URL: database.url, TIME_ZONE: zoneAtNoon() };
      await migrate(database.url);
      for (let round = 0; round < kills; round++) {
        const service = await ServiceProcess.start(env);
        let enough!: () => void;
        const reached = new Promise<void>((resolve) => (enough = resolve));
        const writers = Array.from({ length: WRITERS }, () => write(service.url, enough));
        await reached;
        await service.kill('SIGKILL');
        await Promise.all(writers);
      }
      const service = await ServiceProcess.start(env);
      for (const id of acknowledged.keys()) {
        const response = await fetch(`${service.url}${ASSETS}/${id}`);
        if (response.ok) listed.set(id, ((await response.json()) as { data: Created }).data.assetID);
      }
      listed.set('last', (await post(service.url))?.assetID ?? 'refused');
      await service.kill('SIGTERM');
    });
    afterAll(() => database?.drop());

    it('lose nothing that was acknowledged', () => {
      expect(acknowledged.size).toBeGreaterThanOrEqual(kills * ACKNOWLEDGED_BEFORE_KILL);
      for (const [id, assetID] of acknowledged) expect(listed.get(id)).toBe(assetID);
    });

    it('give no number twice, and none away but to what was kept without an answer', () => {
      const numbers = [...acknowledged.values()].map((assetID) => Number(assetID.slice(-6)));
      expect(new Set(numbers).size).toBe(numbers.length);
      const last = Number(listed.get('last')?.slice(-6));
      expect(last).toBeGreaterThan(acknowledged.size);
      expect(last).toBeLessThanOrEqual(acknowledged.size + refused + kills * WRITERS + 1);
    });
  });
}
