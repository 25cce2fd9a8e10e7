import { renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

describe.each(['', '-wal'])('while the file of an SQLite database (registry.sqlite%s) is not at its path', (end) => {
  let registry: TestRegistry;
  let path: string;
  const post = (): Promise<Reply> => registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
  const readiness = (): Promise<Reply> => registry.send('/health/ready');

  beforeAll(async () => {
    registry = await TestRegistry.start(databases[0] as TestDatabaseKind);
    path = registry.databaseUrl.slice('sqlite:'.length) + end;
    await publish(registry);
    renameSync(path, `${path}.moved`);
  });
  afterAll(() => registry.stop());

  it('no change is taken, of which the next start would not know', async () => {
    for (let i = 0; i < 3; i++) expectError(await post(), 503, 'header', 'server');
  });

  it('the service is not ready, and says why', async () => {
    await until(async () => (await readiness()).status === 503);
    const sentence = 'database: cannot be used for now: its file was moved, deleted or replaced';
    expectError(await readiness(), 503, 'header', 'server', sentence);
  });

  it('reads go on', async () => expect((await registry.send(ASSETS)).json.data).toHaveLength(1));

  it('and is put back, all goes on', async () => {
    renameSync(`${path}.moved`, path);
    await until(async () => (await post()).status === 201);
    await until(async () => (await readiness()).status === 200);
  });
});
