/*
 * npm run test:other-server: the e2e tests on the server that `npm test` did not take, MySQL if that was MariaDB. It skips tests that do not
 * depend on the server: those whose title names only SQLite or PostgreSQL, and files that start no server or have no statement that others
 * lack. A server that cannot be fetched is reported but is no failure, because the mirror is at fault.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { NotFetchedError, NotInstalledError } from '../../scripts/machine/apt-get.js';
import { obtainServerProgram } from '../../scripts/machine/server-program.js';
import { findDatabaseServer } from '../support/database-server.js';
import { waitUntilServerAnswers } from '../support/server-answer.js';

const FIRST_ANSWER_MS = 60_000;
/** Before each further attempt to fetch a server: a mirror that is away for a moment shall not matter. */
const PAUSES_MS = [15_000, 60_000];
const JEST = ['node_modules/jest/bin/jest.js', '--selectProjects', 'e2e', '--ci'];
/** Files whose registries are all on SQLite, or that name their server themselves. */
const WITHOUT_SERVER = [
  'test/pages/',
  'test/clients/(client|older|log-restore|postgres|sync-strange)',
  'test/feed/(faults|one-file)\\.',
  'test/operations/(cluster-mode|demo|disk-reserve|draining|file-modes|log-command|nginx|no-reader|npm-start|open-files)\\.',
];
/** Files that have no statement of their own: what they ask of a server, files that stay ask too. */
const SAID_BY_OTHERS = [
  'test/api/live\\.',
  'test/clients/(log-evidence|sync)\\.',
  'test/feed/(feed-epoch|filtered-feed)\\.',
  'test/operations/overload\\.',
];
const LEFT_OUT = [
  '--testNamePattern=^(?!.*(?:SQLite|PostgreSQL))|MySQL|MariaDB',
  '--testPathIgnorePatterns',
  ...WITHOUT_SERVER,
  ...SAID_BY_OTHERS,
];

new Command('test:other-server').description('The e2e tests on the server that npm test did not take').parse();
const other = (await nameOfTaken()) === 'MySQL' ? 'MariaDB' : 'MySQL';
process.env.TEST_SERVER = other.toLowerCase();
delete process.env.TEST_DATABASE_URL;
const reason = await whyMissing();
if (reason === undefined) process.exitCode = await runTests();
else console.error(`NOT TRIED: the tests on ${other}. None was found on this machine: ${reason}`);

async function nameOfTaken(): Promise<'MariaDB' | 'MySQL'> {
  const server = await findDatabaseServer();
  try {
    return (await waitUntilServerAnswers(server.url, FIRST_ANSWER_MS)).name;
  } finally {
    await server.stop();
  }
}

/** Finds the other server's program, or fetches it. @returns nothing where it is there */
async function whyMissing(pauses = PAUSES_MS): Promise<string | undefined> {
  try {
    await obtainServerProgram();
    return undefined;
  } catch (error) {
    if (!(error instanceof NotInstalledError)) throw error;
    const message = error.message.replaceAll('\n', ' ');
    const [ms, ...later] = pauses;
    if (ms === undefined || !(error instanceof NotFetchedError)) return message;
    console.error(`Trying again in ${ms / 1_000} s: ${message}`);
    await sleep(ms);
    return await whyMissing(later);
  }
}

async function runTests(): Promise<number> {
  const jest = spawn(process.execPath, [...JEST, ...LEFT_OUT], { stdio: 'inherit' });
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}
