import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import type { TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { builtService } from '../support/process.js';
import { exchange, head } from '../support/raw-socket.js';
import { until } from '../support/until.js';

/** More than a pipe or a socket holds, in lines of about 400 bytes. */
const LINES = 1_200;

/** As long as a supervisor waits. */
const LONGEST_END_MS = 30_000;

/** A pipe whose reader reads when it is told to. */
class LazyReader {
  private readonly folder = mkdtempSync(join(tmpdir(), 'registry-log-'));
  private readonly path = join(this.folder, 'log');
  private readonly reader: number;
  readonly writer: number;

  constructor() {
    execFileSync('mkfifo', [this.path]);
    this.reader = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.writer = openSync(this.path, constants.O_WRONLY);
  }

  close(): void {
    for (const descriptor of [this.reader, this.writer]) closeSync(descriptor);
    rmSync(this.folder, { recursive: true });
  }
}

/** A service whose log nobody reads, having written more of it than the pipe takes. */
async function startUnread(stdout: number | 'pipe', env: Record<string, string>): Promise<ChildProcess> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [builtService()], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      SEARCH_INDEX: 'off',
      LOG_LEVEL: 'info',
      DRAIN_DELAY: '0',
      ...env,
    },
    stdio: ['ignore', stdout, 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const lines = Array.from({ length: LINES }, () => GET_LONG).join('');
  const answers = await exchange(url, lines + head('GET /health/live HTTP/1.1', 'Host: registry', 'Connection: close'));
  expect(answers).toHaveLength(LINES + 1);
  return child;
}

const GET_LONG = head(`GET /${'x'.repeat(250)} HTTP/1.1`, 'Host: registry');

/** @param outputs what its standard output is, its database, and how many workers it has */
export function describeUnreadLogs(...outputs: ['a pipe' | 'a socket', TestDatabaseKind, string][]): void {
  describe('a service whose log nobody reads', () => {
    it.each(outputs)('answers, and ends with 0 when it is told to: %s', async (stdout, kind, workers) => {
      const database = await kind.create();
      await migrate(database.url);
      const reader = new LazyReader();
      const env = { DATABASE_URL: database.url, WORKERS: workers };
      const child = await startUnread(stdout === 'a pipe' ? reader.writer : 'pipe', env);
      const ended = once(child, 'exit');
      const impatience = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MS);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      clearTimeout(impatience);
      reader.close();
      await database.drop();
    });
  });
}
