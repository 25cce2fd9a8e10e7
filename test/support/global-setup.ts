import { chmodSync, mkdtempSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Jest loads this file and its imports by plain `require`, which does not resolve a .js name to a .ts file.
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.ts';
import { removeFolder } from '../../scripts/machine/remove-folder.ts';
import { findDatabaseServer } from './database-server.ts';
import { findBrowser } from './find-browser.ts';
import { findPostgres } from './find-postgres.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const STDOUT = 1;
const FIRST_ANSWER_MS = 60_000;
/** An in-memory file system, on Linux. */
const MEMORY = '/dev/shm';
/** Much more than concurrent tests write. */
const NEEDED_BYTES = 4 * 2 ** 30;

/** Starts the MySQL-compatible server of the e2e tests, finds or installs a browser and PostgreSQL, and passes their locations to the workers. */
export default async function globalSetup(): Promise<void> {
  process.env.TEST_FOLDER = makeFolder();
  // Hard links to the project's packages work only on the same disk.
  process.env.TEST_DISK_FOLDER = tmpdir();
  process.env.TMPDIR = process.env.TEST_FOLDER;
  // Programs started by tests share compiled modules within a run.
  process.env.TEST_COMPILE_CACHE = join(process.env.TEST_FOLDER, 'compiled');
  await provide('TEST_BROWSER', findBrowser);
  await provide('TEST_POSTGRES', findPostgres);
  try {
    const server = await findDatabaseServer();
    globalThis.testDatabaseServer = server;
    const { name, version } = await waitUntilServerAnswers(server.url, FIRST_ANSWER_MS);
    process.env.TEST_SERVER_URL = server.url;
    process.env.TEST_SERVER_NAME = name;
    process.stderr.write(`Test database: ${name} ${version} (${server.origin})\n`);
  } catch (error) {
    // Jest has not created its reporters yet, so the count is printed here; Jest's streams are closed by then.
    process.once('exit', () => writeSync(STDOUT, '0 passed, 1 failed\n'));
    await globalThis.testDatabaseServer?.stop();
    throw error;
  }
}

/** If nothing is found, the tests that need it fail with the reason; the others run. */
async function provide(name: string, find: () => Promise<string>): Promise<void> {
  try {
    process.env[name] = await find();
  } catch (error) {
    process.env[`${name}_MISSING`] = (error as Error).message;
  }
}

/**
 * A folder for all files of this run, including those that interrupted tests leave. It is in memory if there is enough space, because databases as
 * durable as in production would make tests wait for the disk at each commit.
 */
function makeFolder(): string {
  const folder = mkdtempSync(join(hasSpace(MEMORY) ? MEMORY : tmpdir(), 'registry-test-'));
  cleanUpAtExit(() => removeFolder(folder));
  // Like other temporary folders, because the nodes of a cluster run as another user.
  chmodSync(folder, 0o1777);
  return folder;
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
