import { obtainServerProgram } from '../../scripts/machine/server-program.ts';
import { startContainer } from './container-server.ts';
import { PrivateServer } from './private-server.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

/** A MySQL-compatible server for one run of the tests. */
export interface DatabaseServer {
  /** mysql://user:password@host:port of a user who may create databases and users. */
  url: string;
  /** A description of its origin, for the console. */
  origin: string;
  stop(): Promise<void>;
}

declare global {
  /** Passed from the global setup to the global teardown; they share only globals. */
  var testDatabaseServer: DatabaseServer | undefined;
}

const GIVEN_SERVER_MS = 10_000;

const HOW_TO_GET_ONE = [
  'The e2e tests need a MySQL-compatible server. Do one of these:',
  '  - set TEST_DATABASE_URL=mysql://user:password@host:port (the user must be allowed to create databases and users),',
  '  - start Docker,',
  '  - install mariadb-server (or mysql-server): its binary is started privately, in a temporary folder.',
].join('\n');

/** Uses the given server, else a container, else a private server whose program is installed or downloaded. `TEST_SERVER` selects the kind. */
export async function findDatabaseServer(): Promise<DatabaseServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return await useGivenServer(given);
  const container = process.env.TEST_SERVER ? undefined : await startContainer();
  return container ?? (await PrivateServer.start(await serverProgram()));
}

async function useGivenServer(given: string): Promise<DatabaseServer> {
  if (!URL.canParse(given) || new URL(given).protocol !== 'mysql:') {
    throw new Error('TEST_DATABASE_URL must look like mysql://user:password@host:port.');
  }
  const url = new URL(given);
  url.pathname = '';
  try {
    await waitUntilServerAnswers(url.href, GIVEN_SERVER_MS);
  } catch (error) {
    throw new Error(`TEST_DATABASE_URL is set, but ${url.host} does not answer: ${(error as Error).message}`);
  }
  return { url: url.href, origin: `TEST_DATABASE_URL, ${url.host}`, stop: () => Promise.resolve() };
}

async function serverProgram(): Promise<string> {
  try {
    return await obtainServerProgram();
  } catch (error) {
    throw new Error(`${HOW_TO_GET_ONE}\nNo such server was found here, and ${(error as Error).message}`);
  }
}
