import { describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { ASSETS, assetBody, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { TestRegistry } from '../support/registry.js';

/** More than are let in at once. */
const WRITES = 200;

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('more than $name can take', (kind) => {
  it('is 503 after five seconds for those who are not let in, while reads go on, and the others are kept', async () => {
    const registry = await TestRegistry.start(kind);
    const { id } = await publish(registry);
    const other = await createConnection(registry.databaseUrl);
    await other.beginTransaction();
    await other.query('SELECT last_us FROM feed_clock FOR UPDATE');

    const began = performance.now();
    const body = assetBody();
    const writes = Array.from({ length: WRITES }, () => registry.send(ASSETS, { method: 'POST', key: 'broker', body }));
    expect((await registry.send(`${ASSETS}/${id}`)).status).toBe(200);
    const first = await Promise.race(writes);
    const tookMs = performance.now() - began;
    // At once: those who were let in have two seconds and a half left.
    await other.rollback();
    expectError(first, 503, 'header', 'server');
    expect(first.text).toContain('waiting');
    expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(tookMs).toBeGreaterThan(4_900);

    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(128);
    await other.end();
    await registry.stop();
  });
});
