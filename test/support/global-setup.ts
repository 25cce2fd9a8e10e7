import { chmodSync, mkdtempSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Jest loads this file and what it imports with a plain `require`, which does not find a .ts file under a .js name.
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.ts';
import { removeFolder } from '../../scripts/machine/remove-folder.ts';
import { findDatabaseServer } from './database-server.ts';
import { findBrowser } from './find-browser.ts';
import { findPostgres } from './find-postgres.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const STDOUT = 1;
const FIRST_ANSWER_MS = 60_000;
/** A file system of memory, on Linux. */
const MEMORY = '/dev/shm';
/** Far more than the tests write at the same time. */
const ROOM_BYTES = 4 * 2 ** 30;

/** Finds or starts the MySQL-compatible server of the e2e tests, finds or installs a browser and PostgreSQL, and tells the workers where they are. */
export default async function globalSetup(): Promise<void> {
  process.env.TEST_FOLDER = makeFolder();
  // Links to the project's packages are only possible on their own disk.
  process.env.TEST_DISK_FOLDER = tmpdir();
  process.env.TMPDIR = process.env.TEST_FOLDER;
  // The programs that tests start compile their modules once in a run.
  process.env.TEST_COMPILE_CACHE = join(process.env.TEST_FOLDER, 'compiled');
  await lookFor('TEST_BROWSER', findBrowser);
  await lookFor('TEST_POSTGRES', findPostgres);
  try {
    const server = await findDatabaseServer();
    globalThis.testDatabaseServer = server;
    const { name, version } = await waitUntilServerAnswers(server.url, FIRST_ANSWER_MS);
    process.env.TEST_SERVER_URL = server.url;
    process.env.TEST_SERVER_NAME = name;
    process.stderr.write(`Test database: ${name} ${version} (${server.origin})\n`);
  } catch (error) {
    // Jest creates its reporters later, so nobody else prints the count; its streams are shut by then.
    process.once('exit', () => writeSync(STDOUT, '0 passed, 1 failed\n'));
    await globalThis.testDatabaseServer?.stop();
    throw error;
  }
}

/** Where there is none, the tests that need one fail, and say why; the others can do without. */
async function lookFor(name: string, find: () => Promise<string>): Promise<void> {
  try {
    process.env[name] = await find();
  } catch (error) {
    process.env[`${name}_MISSING`] = (error as Error).message;
  }
}

/**
 * A folder for the files of this run, also of tests that were interrupted before they could remove theirs. Where there is room it is in
 * memory: databases that are as durable as in production would let the tests wait for the disk at each commit.
 */
function makeFolder(): string {
  const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'registry-test-'));
  cleanUpAtExit(() => removeFolder(folder));
  // As every folder for temporary files: the nodes of a cluster have a user of their own.
  chmodSync(folder, 0o1777);
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
