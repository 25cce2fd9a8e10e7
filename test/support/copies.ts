import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { databases, type TestDatabaseKind } from './databases.js';
import type { JsonObject } from './assets.js';

/** A place where a test keeps a copy. */
export interface TestCopy {
  /** As `--to` takes it. */
  target: string;
  /** The documents that it holds, by id. */
  documents: () => Promise<Map<string, string>>;
  drop: () => Promise<void>;
}

/** One that can be looked into, and spoiled, by SQL. */
export interface TestSqlCopy extends TestCopy {
  sql: (statement: string, ...values: unknown[]) => Promise<JsonObject[]>;
}

export interface TestCopyKind<T extends TestCopy = TestCopy> {
  name: string;
  create: () => Promise<T>;
}

export const sqlCopies: TestCopyKind<TestSqlCopy>[] = [
  { name: 'SQLite', create: createSqlite },
  { name: (databases[1] as TestDatabaseKind).name, create: createOnServer },
];

/** Every kind of copy: `describe.each(copies)('… to $name', …)`. */
export const copies: TestCopyKind[] = [...sqlCopies, { name: 'JSON lines', create: createLines }];

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

async function createOnServer(): Promise<TestSqlCopy> {
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
  return { target: database.url, sql, documents: () => documentsBy(sql), drop: () => database.drop() };
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

/** The path of a copy in a file. */
export function pathOf({ target }: TestCopy): string {
  return target.slice(target.indexOf(':') + 1);
}
