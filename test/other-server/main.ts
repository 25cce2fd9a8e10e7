/*
 * npm run test:other-server: the e2e tests on the server that `npm test` did not take, MySQL where that was MariaDB. Left out is what no server
 * can change: tests whose title says SQLite alone, and those in the browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { takeServerProgram } from '../../scripts/machine/server-program.js';
import { findDatabaseServer } from '../support/database-server.js';
import { waitUntilServerAnswers } from '../support/server-answer.js';
import { otherThan, testOn } from './other-server.js';

const FIRST_ANSWER_MS = 60_000;
const JEST = ['node_modules/jest/bin/jest.js', '--selectProjects', 'e2e', '--ci'];
const LEFT_OUT = ['--testNamePattern=^(?!.*SQLite)|MySQL|MariaDB', '--testPathIgnorePatterns=test/pages/browser/'];

new Command('test:other-server').description('The e2e tests on the server that npm test did not take').parse();
const other = otherThan(await nameOfTaken());
process.env.TEST_SERVER = other.toLowerCase();
delete process.env.TEST_DATABASE_URL;
process.exitCode = await testOn(other, { take: takeServerProgram, pause: sleep, test: runTests, tell: console.error });

async function nameOfTaken(): Promise<'MariaDB' | 'MySQL'> {
  const server = await findDatabaseServer();
  try {
    return (await waitUntilServerAnswers(server.url, FIRST_ANSWER_MS)).name;
  } finally {
    await server.stop();
  }
}

async function runTests(): Promise<number> {
  const jest = spawn(process.execPath, [...JEST, ...LEFT_OUT], { stdio: 'inherit' });
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}
