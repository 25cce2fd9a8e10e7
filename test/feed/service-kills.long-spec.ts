import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, type Owned, post, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { type Sender, sendTo, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const KILLS = 4;
const CREATORS = 6;
const CHANGERS = 6;
const ACKNOWLEDGED_BEFORE_KILL = 50;

/** States that begin with a change, of which the revision before them is not there or another one. */
const BROKEN_SQL = ['asset', 'revision'].map(
  (table) => `SELECT state.version FROM ${table} state LEFT JOIN revision previous
    ON previous.until_us = state.modified_us AND previous.asset = state.${table === 'asset' ? 'id' : 'asset'} AND previous.version = state.version - 1
    WHERE state.version > 1 AND previous.until_us IS NULL`,
);

describe.each(databases)(`${KILLS} kill -9 of the service on $name`, (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess | undefined;
  const sender: Sender = { send: (path, options) => sendTo(service?.url ?? '', path, options) };
  /** Numbers of the assets whose creation was acknowledged, by their ids. */
  const created = new Map<string, string>();
  /** dateModified of every acknowledged change, by asset. */
  const changed = new Map<string, string[]>();
  /** Nobody knows whether these creations were kept; it may be that the machine has stood still for long. */
  let refused = 0;

  const start = async (): Promise<void> => {
    service = await ServiceProcess.start({ DATABASE_URL: database.url, TIME_ZONE: zoneAtNoon() });
  };
  const createOne = async (): Promise<boolean> => {
    const { status, json } = await post(sender, assetBody());
    if (status === 201) created.set(json.data.id as string, json.data.assetID as string);
    else refused++;
    return status === 201;
  };
  const changeOne = async (owned: Owned): Promise<boolean> => {
    const { status, json } = await change(sender, owned, { title: `title ${Math.random()}` });
    if (status === 200) changed.get(owned.id)?.push(json.data.dateModified as string);
    return status === 200;
  };
  /** Until the service does not answer any more. */
  const writeOn = async (write: () => Promise<boolean>, done: () => void): Promise<void> => {
    for (;;) {
      const isDone = await write().catch(() => undefined);
      if (isDone === undefined) return;
      if (isDone) done();
    }
  };

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    await start();
    const assets = await Promise.all(Array.from({ length: CHANGERS }, () => publish(sender)));
    for (const { id, asset } of assets) {
      created.set(id, asset.assetID);
      changed.set(id, [asset.dateModified]);
    }
    for (let round = 0; round < KILLS; round++) {
      let left = ACKNOWLEDGED_BEFORE_KILL;
      let enough = (): void => undefined;
      const killed = new Promise<void>((resolve) => (enough = resolve)).then(() => service?.kill('SIGKILL'));
      const done = (): void => void (--left === 0 && enough());
      const creators = Array.from({ length: CREATORS }, () => writeOn(createOne, done));
      const changers = assets.map((owned) => writeOn(() => changeOne(owned), done));
      await Promise.all([killed, ...creators, ...changers]);
      await start();
    }
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('lose no creation that was acknowledged', async () => {
    for (const [id, assetID] of created)
      expect((await sender.send(`${ASSETS}/${id}`)).json.data).toMatchObject({ assetID });
  });

  it('lose no change that was acknowledged', async () => {
    for (const [id, instants] of changed) {
      const { json } = await sender.send(`${ASSETS}/${id}/history?limit=1000`);
      const known = (json.data as { dateModified: string }[]).map(({ dateModified }) => dateModified);
      expect(known).toEqual(expect.arrayContaining(instants));
    }
  });

  it('give no number twice, and none away but to what was kept without an answer', async () => {
    const known = created.size;
    const numbers = [...created.values()].map((assetID) => Number(assetID.slice(-6)));
    expect(new Set(numbers).size).toBe(numbers.length);
    const last = Number((await publish(sender)).asset.assetID.slice(-6));
    expect(last).toBeGreaterThan(known);
    expect(last).toBeLessThanOrEqual(known + refused + KILLS * CREATORS + 1);
  });

  it.each(BROKEN_SQL)('leave no gap in a history, and nothing of a change that was not kept: %#', async (sql) => {
    expect(await runSql({ databaseUrl: database.url }, sql)).toEqual([]);
    const [counted] = (await runSql(
      { databaseUrl: database.url },
      'SELECT (SELECT COUNT(*) FROM revision) AS revisions, (SELECT SUM(version - 1) FROM asset) AS changes',
    )) as { revisions: unknown; changes: unknown }[];
    expect(Number(counted?.revisions)).toBe(Number(counted?.changes));
  });
});
