import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { StartedMySqlContainer } from '@testcontainers/mysql';
import type { DatabaseServer } from './database-server.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const IMAGE = 'mysql:8.4';
// Most of it is for a slow machine to load the library; without Docker the answer comes at once.
const PROBE_MS = 5_000;
const START_MS = 120_000;

const run = promisify(execFile);

const SETTINGS = [
  '--max-connections=500',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_bin',
  '--skip-name-resolve',
  '--innodb-flush-log-at-trx-commit=1',
  '--sync-binlog=1',
];

/** A MySQL in a container, or nothing where Docker does not answer or cannot start it. */
export async function startContainer(): Promise<DatabaseServer | undefined> {
  if (!(await dockerAnswers())) return undefined;
  try {
    return await startMySql();
  } catch (error) {
    process.stderr.write(`Docker answers but starts no ${IMAGE}, so a local server is taken: ${String(error)}\n`);
    return undefined;
  }
}

/** Asked by a child: only a process can be stopped when a frozen Docker takes the connection and never answers. */
async function dockerAnswers(): Promise<boolean> {
  const question = `await (await import('testcontainers')).getContainerRuntimeClient()`;
  try {
    await run(process.execPath, ['--input-type=module', '--eval', question], {
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
    });
    return true;
  } catch {
    return false;
  }
}

async function startMySql(): Promise<DatabaseServer> {
  const { MySqlContainer } = await import('@testcontainers/mysql');
  const container = await new MySqlContainer(IMAGE).withCommand(SETTINGS).withStartupTimeout(START_MS).start();
  const url = new URL(container.getConnectionUri(true));
  url.pathname = '';
  await waitOrStop(container, url.href);
  return {
    url: url.href,
    origin: `container of ${IMAGE}, ${url.host}`,
    // An interrupted run needs nothing from us: the reaper of testcontainers removes what its process left.
    stop: async () => void (await container.stop()),
  };
}

/** A mapped port is open before MySQL listens behind it. */
async function waitOrStop(container: StartedMySqlContainer, url: string): Promise<void> {
  try {
    await waitUntilServerAnswers(url, START_MS);
  } catch (error) {
    await container.stop();
    throw error;
  }
}
