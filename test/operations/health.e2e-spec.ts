import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/platform/config/version.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { readiness } from '../support/readiness.js';
import type { Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

/** Waits for this status. @returns the readiness */
async function readyWith(registry: TestRegistry, status: number): Promise<Reply> {
  let reply: Reply | undefined;
  await until(async () => (reply = await readiness(registry)).status === status);
  return reply as Reply;
}

describe.each(databases)('health on $name', (kind) => {
  const registry = servedRegistry(kind);

  it('is ready, and says so of each part', async () => {
    const { status, json } = await readiness(registry);
    expect(status).toBe(200);
    expect(json).toEqual({
      status: expect.stringMatching(/^(?:ok|degraded)$/),
      version: VERSION,
      parts: {
        database: kind.name,
        schema: 'ok',
        durability: expect.stringMatching(/strict/),
        writes: 'ok',
        clock: 'ok',
        // A server's disk is not ours to see.
        ...(kind.name === 'SQLite' && { disk: expect.any(String) }),
      },
    });
  });

  it('is not ready on an outdated schema, and ready again once it is migrated', async () => {
    const [last] = (await runSql(registry, 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1')) as {
      name: string;
    }[];
    const name = last?.name;
    await runSql(registry, 'UPDATE migrations SET name = ? WHERE name = ?', ['Away', name]);
    const reply = await readyWith(registry, 503);
    expectError(reply, 503, 'header', 'server', expect.stringMatching(/^schema: .*registry migrate/));
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
    await runSql(registry, 'UPDATE migrations SET name = ? WHERE name = ?', [name, 'Away']);
    expect((await readyWith(registry, 200)).status).toBe(200);
  });

  it('is alive whatever is ready', async () => {
    expect((await registry.send('/health/live')).text).toBe(`{"status":"ok","version":"${VERSION}"}`);
  });
});
