import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadService } from './loaded-service.js';

/** An empty database for one test file. */
export interface TestDatabase {
  /** DATABASE_URL. */
  url: string;
  drop: () => Promise<void>;
}

export interface TestDatabaseKind {
  name: 'SQLite' | 'MariaDB' | 'MySQL';
  create: () => Promise<TestDatabase>;
}

/** Every kind of database that the service runs on: `describe.each(databases)('… on $name', …)`. */
export const databases: TestDatabaseKind[] = [
  { name: 'SQLite', create: createSqliteDatabase },
  { name: serverName(), create: createServerDatabase },
];

/** SQLite only, for behaviour that does not depend on the database: parsing, printing, the wire, pages. */
export const embedded = databases.slice(0, 1);

function serverName(): 'MariaDB' | 'MySQL' {
  return fromGlobalSetup('TEST_SERVER_NAME') === 'MariaDB' ? 'MariaDB' : 'MySQL';
}

async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(fromGlobalSetup('TEST_FOLDER'), 'sqlite-'));
  return {
    url: `sqlite:${join(folder, 'registry.sqlite')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createServerDatabase(): Promise<TestDatabase> {
  const name = `registry_test_${randomBytes(8).toString('hex')}`;
  // The character set's default collation, which ignores case: the service must not depend on the database's collation.
  await runOnServer(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const url = new URL(fromGlobalSetup('TEST_SERVER_URL'));
  url.pathname = name;
  return { url: url.href, drop: () => runOnServer(`DROP DATABASE ${name}`) };
}

async function runOnServer(statement: string): Promise<void> {
  const { createConnection } = await loadService();
  const connection = await createConnection(fromGlobalSetup('TEST_SERVER_URL'));
  try {
    // A test that left a transaction open must fail here instead of hanging.
    await connection.query('SET SESSION lock_wait_timeout = 10');
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}

function fromGlobalSetup(name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new Error(`${name} is not set: only files of the e2e project (test/**/*.e2e-spec.ts) may use databases.ts.`);
}
