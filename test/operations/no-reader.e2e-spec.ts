import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { builtService } from '../support/process.js';
import { sendTo } from '../support/registry.js';
import { until } from '../support/until.js';

it('a service starts where nothing that it says can be written', async () => {
  const database = await (databases[0] as TestDatabaseKind).create();
  const port = await findFreePort();
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    PORT: String(port),
    SEARCH_INDEX: 'off',
    SNAPSHOT_FOLDER: tmpdir(),
  };
  const full = openSync('/dev/full', 'w');
  const service = spawn(process.execPath, [builtService()], { env, stdio: ['ignore', full, 'ignore'] });
  closeSync(full);
  const end = once(service, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    sendTo(url, '/health/ready').then(
      ({ status }) => status === 200,
      () => service.exitCode !== null,
    );
  await until(isReady);
  // All of its start is over by then.
  expect(await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 1_000, 'it serves'))])).toBe(
    'it serves',
  );
  service.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
  await database.drop();
});
