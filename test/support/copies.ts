import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { databases, type TestDatabaseKind } from './databases.js';
import { PostgresServer, queryPostgres } from './postgres-server.js';
import { othersOf } from './process-list.js';
import type { JsonObject } from './assets.js';

/** A copy made by registry-sync. */
export interface TestCopy {
  /** Argument of `--to`. */
  target: string;
  /** The documents in the copy, by id. */
  documents: () => Promise<Map<string, string>>;
  drop: () => Promise<void>;
}

/** A copy that can be read and corrupted by SQL. */
export interface TestSqlCopy extends TestCopy {
  sql: (statement: string, ...values: unknown[]) => Promise<JsonObject[]>;
}

/** A copy on a server. */
export interface TestServerCopy extends TestSqlCopy {
  /** Kills the other connections to its database. */
  cutOff: () => Promise<void>;
}

export interface TestCopyKind<T extends TestCopy = TestCopy> {
  name: string;
  create: () => Promise<T>;
}

export const mysqlCopies: TestCopyKind<TestServerCopy> = {
  name: (databases[1] as TestDatabaseKind).name,
  create: createOnServer,
};
export const serverCopies: TestCopyKind<TestServerCopy>[] = [
  mysqlCopies,
  { name: 'PostgreSQL', create: createOnPostgres },
];
export const sqlCopies: TestCopyKind<TestSqlCopy>[] = [{ name: 'SQLite', create: createSqlite }, ...serverCopies];
export const jsonlCopies: TestCopyKind = { name: 'JSON lines', create: createLines };

/** Every kind of copy: `describe.each(copies)('… to $name', …)`. */
export const copies: TestCopyKind[] = [...sqlCopies, jsonlCopies];

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'registry-sync-'));

async function createSqlite(): Promise<TestSqlCopy> {
  const parent = await folder();
  const path = join(parent, 'copy.sqlite');
  const sql = async (statement: string, ...values: unknown[]): Promise<JsonObject[]> => {
    const database = new Sqlite(path);
    try {
      const prepared = database.prepare(statement);
      if (prepared.reader) return prepared.all(...values) as JsonObject[];
      prepared.run(...values);
      return [];
    } finally {
      database.close();
    }
  };
  const documents = (): Promise<Map<string, string>> => documentsBy(sql);
  return { target: `sqlite:${path}`, sql, documents, drop: () => rm(parent, { recursive: true }) };
}

async function createOnServer(): Promise<TestServerCopy> {
  const database = await (databases[1] as TestDatabaseKind).create();
  const sql = async (statement: string, ...values: unknown[]): Promise<JsonObject[]> => {
    const connection = await createConnection(database.url);
    try {
      const [rows] = await connection.query<RowDataPacket[]>(statement, values);
      return Array.isArray(rows) ? rows : [];
    } finally {
      await connection.end();
    }
  };
  const cutOff = async (): Promise<void> => {
    const connection = await createConnection(database.url);
    // The writer of the copy may be disconnecting by itself.
    for (const { id } of await othersOf(connection)) await connection.query(`KILL ${id}`).catch(() => undefined);
    await connection.end();
  };
  return { target: database.url, sql, cutOff, documents: () => documentsBy(sql), drop: () => database.drop() };
}

let postgres: Promise<PostgresServer> | undefined;
afterAll(async () => (await postgres)?.stop());

/** The test file's server, started on first use. */
export function postgresServer(): Promise<PostgresServer> {
  return (postgres ??= PostgresServer.start());
}

async function createOnPostgres(): Promise<TestServerCopy> {
  const server = await postgresServer();
  const target = await server.create();
  const sql: TestSqlCopy['sql'] = (statement, ...values) => queryPostgres(target, statement, ...values);
  const others = 'datname = current_database() AND pid <> pg_backend_pid()';
  const cutOff = async (): Promise<void> => {
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
  };
  return { target, sql, cutOff, documents: () => documentsBy(sql), drop: () => server.drop(target) };
}

async function documentsBy(sql: TestSqlCopy['sql']): Promise<Map<string, string>> {
  const rows = await sql('SELECT id, document FROM asset');
  return new Map(rows.map(({ id, document }) => [id as string, document as string]));
}

async function createLines(): Promise<TestCopy> {
  const parent = await folder();
  const path = join(parent, 'copy.jsonl');
  const documents = async (): Promise<Map<string, string>> => {
    const { bytes } = JSON.parse(readFileSync(`${path}.position.json`, 'utf8')) as { bytes: number };
    const found = new Map<string, string>();
    for (const line of readFileSync(path).subarray(0, bytes).toString().split('\n').slice(0, -1)) {
      const { id, removed } = JSON.parse(line) as { id: string; removed?: true };
      if (removed) found.delete(id);
      else found.set(id, line);
    }
    return found;
  };
  return { target: `jsonl:${path}`, documents, drop: () => rm(parent, { recursive: true }) };
}

/** The path of a copy that is a file. */
export function pathOf({ target }: TestCopy): string {
  return target.slice(target.indexOf(':') + 1);
}
