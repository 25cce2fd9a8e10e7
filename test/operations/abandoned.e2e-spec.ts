import { describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { ASSETS, assetBody, create, type JsonObject } from '../support/assets.js';
import { waitsForClock } from '../support/process-list.js';
import { databases } from '../support/databases.js';
import { basic, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

/** Number of other answers after which an earlier request has been processed. */
const ANSWERS = 10;

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('a client on $name that disconnects', (kind) => {
  it('while its change queues behind a batch: the change is not made, and the batch is', async () => {
    const registry = await TestRegistry.start(kind);
    const other = await createConnection(registry.databaseUrl);
    await other.beginTransaction();
    await other.query('SELECT last_us FROM feed_clock FOR UPDATE');
    const first = create(registry, { title: 'in the batch' });
    await until(() => waitsForClock(other));

    const impatient = new AbortController();
    const body = JSON.stringify(assetBody({ title: 'given up' }));
    const headers = { Authorization: basic('broker'), 'Content-Type': 'application/json' };
    const sent = fetch(registry.url + ASSETS, { method: 'POST', headers, body, signal: impatient.signal });
    for (let i = 0; i < ANSWERS; i++) await registry.send(`${ASSETS}/${'0'.repeat(32)}`);
    impatient.abort();
    await expect(sent).rejects.toThrow();
    await registry.send('/health/live');
    await other.rollback();

    await first;
    await create(registry, { title: 'afterwards' });
    const kept = (await runSql(registry, 'SELECT body FROM asset')) as JsonObject[];
    const titles = kept.map(({ body: text }) => JSON.parse(String(text)).title);
    expect(new Set(titles)).toEqual(new Set(['afterwards', 'in the batch']));
    await other.end();
    await registry.stop();
  });
});
