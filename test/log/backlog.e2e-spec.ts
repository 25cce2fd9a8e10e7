import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { LOG, merkleRoot, leafOf, readCheckpoint, type SeenEntry } from '../support/log-reader.js';
import { readBundles } from '../support/log-verifier.js';
import { microsOf } from '../support/log-watch.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { sendTo, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const COPIES = 2_000;
const WRITERS = 3;
const ALL_STATES = `SELECT modified_us AS us FROM asset WHERE feed_us IS NOT NULL
  UNION ALL SELECT modified_us AS us FROM revision WHERE listed = 1 ORDER BY us`;

describe.each(databases)(`a log of ${COPIES} states from before there was a key, on $name`, (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let entries: { dateModified: string; commitment: string | null }[];
  let texts: string[];
  /** The asset of which two states are spoilt before they are recorded. */
  let spoilt: Owned;

  const sql = (text: string, values: unknown[] = []): Promise<unknown> =>
    runSql({ databaseUrl: database.url }, text, values);
  const registry = { send: (path: string, options?: object) => sendTo(service.url, path, options) };
  const sizeOf = async (): Promise<number> => Number((await registry.send(`${LOG}/checkpoint`)).text.split('\n')[1]);

  /** Two of the copies over and over, and others once, for as long as the log is behind. */
  async function write(token: string, ids: readonly string[], random: Random, isOver: () => boolean): Promise<void> {
    const often = [random.pick(ids), random.pick(ids)];
    do {
      const id = random.pick(random.chance(0.5) ? often : ids);
      await change(registry, { id, token } as Owned, { title: `changed ${random.int(1, 1e9)}` });
    } while (!isOver());
  }

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    const before = await TestRegistry.startOn(database.url);
    const model = await publish(before, { title: 'copied' });
    await addAssets(database.url, COPIES);
    spoilt = await publish(before, { title: 'spoilt' });
    await change(before, spoilt, { title: 'again' });
    await before.close();
    await sql('UPDATE revision SET checksum = checksum + 1 WHERE asset = ? AND listed = 1', [spoilt.id]);
    await sql(`UPDATE asset SET body = '{"title":' WHERE id = ?`, [spoilt.id]);
    const rows = (await sql('SELECT id FROM asset WHERE id <> ?', [spoilt.id])) as { id: string }[];
    service = await ServiceProcess.start({
      DATABASE_URL: database.url,
      LOG_KEY: newLogKey('registry.example.org/log'),
    });
    let isOver = false;
    const ids = rows.map(({ id }) => id);
    const writers = Array.from({ length: WRITERS }, (_, i) => write(model.token, ids, new Random(i), () => isOver));
    const hasMoreThan = async (size: number): Promise<boolean> => (await sizeOf()) > size;
    await until(() => hasMoreThan(COPIES));
    isOver = true;
    await Promise.all(writers);
    const states = (await sql(ALL_STATES)) as unknown[];
    await until(() => hasMoreThan(states.length - 1));
    texts = await readBundles(service, states.length);
    entries = texts.map((text) => JSON.parse(text) as { dateModified: string; commitment: string | null });
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  it('has each state once, in their order, though they were changed meanwhile', async () => {
    const states = (await sql(ALL_STATES)) as { us: unknown }[];
    expect(entries.map(({ dateModified }) => microsOf(dateModified))).toEqual(states.map(({ us }) => Number(us)));
    expect(merkleRoot(texts.map(leafOf)).toString('base64')).toBe((await readCheckpoint(registry)).root);
  });

  it('continues past damaged states, and commits to none of them', async () => {
    const damaged = entries.flatMap(({ commitment }, place) => (commitment === null ? [place] : []));
    expect(damaged.map((place) => (JSON.parse(texts[place] ?? '') as { id: string }).id)).toEqual([
      spoilt.id,
      spoilt.id,
    ]);
    const { json } = await registry.send(`${LOG}/assets?from=${damaged[0]}&limit=3`);
    const shown = json.data as SeenEntry[];
    expect(shown.map(({ asset }) => asset === null)).toEqual([true, true, false]);
  });
});
