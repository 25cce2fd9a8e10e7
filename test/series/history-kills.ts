import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { ServiceProcess } from '../support/process.js';
import { migrate } from '../support/migrated.js';
import { type Sender, sendTo } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const WRITERS = 6;
const CHANGES_A_ROUND = 30;

/** States that begin with a change, of which the revision before them is not there or another one. */
const BROKEN_SQL = ['asset', 'revision'].map(
  (table) => `SELECT state.version FROM ${table} state LEFT JOIN revision previous
    ON previous.until_us = state.modified_us AND previous.asset = state.${table === 'asset' ? 'id' : 'asset'} AND previous.version = state.version - 1
    WHERE state.version > 1 AND previous.until_us IS NULL`,
);

/** The tests of histories that are written while the service is killed so often, on each database. */
export function describeHistoryKills(rounds: number): void {
  describe.each(databases)('histories of a service that is killed over and over on $name', (kind) => {
    let database: TestDatabase;
    let service: ServiceProcess | undefined;
    const sender: Sender = { send: (path, options) => sendTo(service?.url ?? '', path, options) };
    /** dateModified of every acknowledged change, by asset. */
    const acknowledged = new Map<string, string[]>();

    const start = async (): Promise<void> => {
      service = await ServiceProcess.start({ DATABASE_URL: database.url });
    };

    /** Changes one asset until the service does not answer any more. A change that it refuses, as the machine stood still for long, is none. */
    async function write(owned: Owned, done: () => void): Promise<void> {
      for (let i = 0; ; i++) {
        try {
          const { status, json } = await change(sender, owned, { title: `title ${i} ${Math.random()}` });
          if (status !== 200) continue;
          acknowledged.get(owned.id)?.push(json.data.dateModified as string);
          done();
        } catch {
          return;
        }
      }
    }

    beforeAll(async () => {
      database = await kind.create();
      await migrate(database.url);
      await start();
      const assets: Owned[] = [];
      for (let i = 0; i < WRITERS; i++) assets.push(await publish(sender));
      for (const { id, asset } of assets) acknowledged.set(id, [asset.dateModified]);
      for (let round = 0; round < rounds; round++) {
        let left = CHANGES_A_ROUND;
        let enough = (): void => undefined;
        const killed = new Promise<void>((resolve) => (enough = resolve)).then(() => service?.kill('SIGKILL'));
        await Promise.all([killed, ...assets.map((owned) => write(owned, () => --left === 0 && enough()))]);
        await start();
      }
    });
    afterAll(async () => {
      await service?.kill('SIGTERM');
      await database?.drop();
    });

    it('have every change that was acknowledged', async () => {
      for (const [id, instants] of acknowledged) {
        const { json } = await sender.send(`${ASSETS}/${id}/history?limit=1000`);
        const known = (json.data as { dateModified: string }[]).map(({ dateModified }) => dateModified);
        expect(known).toEqual(expect.arrayContaining(instants));
      }
    });

    it.each(BROKEN_SQL)('have no gap, and nothing of a change that was not kept: %#', async (sql) => {
      expect(await runSql({ databaseUrl: database.url }, sql)).toEqual([]);
      const [counted] = (await runSql(
        { databaseUrl: database.url },
        'SELECT (SELECT COUNT(*) FROM revision) AS revisions, (SELECT SUM(version - 1) FROM asset) AS changes',
      )) as { revisions: unknown; changes: unknown }[];
      expect(Number(counted?.revisions)).toBe(Number(counted?.changes));
    });
  });
}
