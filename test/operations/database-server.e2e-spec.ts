import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { databases } from '../support/databases.js';
import type { TestDatabase } from '../support/databases.js';

const TEXT = 'a lot of 🏡, sold';

describe.each(databases)('a test database on $name', ({ create }) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await create();
  });

  afterAll(() => database.drop());

  it('keeps what was written, emoji included', async () => {
    expect(await writeAndRead(database.url)).toBe(TEXT);
  });

  it('is gone once dropped', async () => {
    const other = await create();
    await writeAndRead(other.url);
    await other.drop();
    expect(await exists(other.url)).toBe(false);
    expect(await exists(database.url)).toBe(true);
  });
});

const CREATE = 'CREATE TABLE note (text VARCHAR(100) NOT NULL)';
const INSERT = 'INSERT INTO note VALUES (?)';
const SELECT = 'SELECT text FROM note';

async function writeAndRead(url: string): Promise<unknown> {
  return url.startsWith('sqlite:') ? writeAndReadSqlite(url) : await writeAndReadServer(url);
}

function writeAndReadSqlite(url: string): unknown {
  const connection = new Sqlite(sqlitePath(url));
  try {
    connection.exec(CREATE);
    connection.prepare(INSERT).run(TEXT);
    return connection.prepare(SELECT).pluck().get();
  } finally {
    connection.close();
  }
}

async function writeAndReadServer(url: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    await connection.query(CREATE);
    await connection.query(INSERT, [TEXT]);
    const [rows] = await connection.query<RowDataPacket[]>(SELECT);
    return rows[0]?.text;
  } finally {
    await connection.end();
  }
}

async function exists(url: string): Promise<boolean> {
  if (url.startsWith('sqlite:')) return existsSync(dirname(sqlitePath(url)));
  try {
    await (await createConnection(url)).end();
    return true;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ER_BAD_DB_ERROR');
    return false;
  }
}

function sqlitePath(url: string): string {
  return url.slice('sqlite:'.length);
}
