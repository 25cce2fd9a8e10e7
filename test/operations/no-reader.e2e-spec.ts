import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { builtService } from '../support/process.js';
import { exchange, head } from '../support/raw-socket.js';
import { sendTo } from '../support/registry.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];
/** Lines of about 400 bytes, together more than a pipe's buffer. */
const LINES = 1_200;
const GET_LONG = head(`GET /${'x'.repeat(250)} HTTP/1.1`, 'Host: registry');
const LAST = head('GET /health/live HTTP/1.1', 'Host: registry', 'Connection: close');
/** The time limit of a supervisor. */
const LONGEST_END_MS = 30_000;

/** @returns once it is ready or has ended; its output is not read, so the port is chosen here */
async function startInto(stdout: number, databaseUrl: string): Promise<{ service: ChildProcess; url: string }> {
  const port = await findFreePort();
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    SEARCH_INDEX: 'off',
    SNAPSHOT_FOLDER: tmpdir(),
    DRAIN_DELAY: '0',
  };
  const service = spawn(process.execPath, [builtService()], { env, stdio: ['ignore', stdout, 'ignore'] });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    sendTo(url, '/health/ready').then(
      ({ status }) => status === 200,
      () => service.exitCode !== null,
    ),
  );
  return { service, url };
}

it('a service starts although its log cannot be written', async () => {
  const database = await sqlite.create();
  const full = openSync('/dev/full', 'w');
  const { service } = await startInto(full, database.url);
  closeSync(full);
  const end = once(service, 'exit');
  // All of its start is over by then.
  expect(await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 1_000, 'it serves'))])).toBe(
    'it serves',
  );
  service.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
  await database.drop();
});

it('a service whose log is not read answers, and ends with 0 at SIGTERM', async () => {
  const database = await sqlite.create();
  const folder = newFolder();
  const path = join(folder, 'log');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  const { service, url } = await startInto(writer, database.url);
  expect(await exchange(url, GET_LONG.repeat(LINES) + LAST)).toHaveLength(LINES + 1);
  const ended = once(service, 'exit');
  const impatience = setTimeout(() => service.kill('SIGKILL'), LONGEST_END_MS);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  clearTimeout(impatience);
  for (const descriptor of [reader, writer]) closeSync(descriptor);
  await database.drop();
});
