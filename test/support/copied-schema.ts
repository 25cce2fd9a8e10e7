import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { createDataSource, dataSourceOptions } from '../../src/database/connections/data-sources.js';

/*
 * The migrations run once for each kind of server; all other databases of the run copy the result, with a new epoch each.
 */

const SQLITE = 'sqlite:';

/** Gives the empty database of a test the newest schema. */
export async function copySchema(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith(SQLITE)) return migrateSqlite(databaseUrl.slice(SQLITE.length));
  const connection = await createConnection({ uri: databaseUrl, multipleStatements: true });
  try {
    const sample = await cachedFile('sample.json', describeSample);
    const { version, sql } = JSON.parse(readFileSync(sample, 'utf8')) as Sample;
    if (version === (await versionOf(connection))) await connection.query(sql + withEpoch(newEpoch()));
    else await runMigrations(databaseUrl);
  } finally {
    await connection.end();
  }
}

interface Sample {
  /** Version of the server on which the sample was made. */
  version: string;
  /** SQL that turns an empty database into a copy of the migrated sample. */
  sql: string;
}

const newEpoch = (): string => randomBytes(16).toString('hex');

const withEpoch = (epoch: string): string => `UPDATE feed_clock SET epoch = '${epoch}'`;

async function migrateSqlite(path: string): Promise<void> {
  copyFileSync(
    await cachedFile('sample.sqlite', (sample) => runMigrations(SQLITE + sample)),
    path,
    constants.COPYFILE_EXCL,
  );
  const database = new Sqlite(path);
  database.exec(withEpoch(newEpoch()));
  database.close();
}

async function describeSample(path: string): Promise<void> {
  const name = `registry_test_sample_${randomBytes(8).toString('hex')}`;
  const url = new URL(process.env.TEST_SERVER_URL as string);
  const connection = await createConnection(url.href);
  try {
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    url.pathname = name;
    await runMigrations(url.href);
    const sample: Sample = { version: await versionOf(connection), sql: await definition(connection, name) };
    writeFileSync(path, JSON.stringify(sample));
    await connection.query(`DROP DATABASE ${name}`);
  } finally {
    await connection.end();
  }
}

async function versionOf(connection: Connection): Promise<string> {
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  return row?.['version'] as string;
}

/** The database's default collation, tables and rows, as SQL. */
async function definition(connection: Connection, name: string): Promise<string> {
  const ask = async (sql: string): Promise<RowDataPacket[]> => (await connection.query<RowDataPacket[]>(sql))[0];
  const [schema] = await ask(
    `SELECT default_collation_name AS collation FROM information_schema.schemata WHERE schema_name = '${name}'`,
  );
  const lines = [`ALTER DATABASE COLLATE ${schema?.['collation']}`, 'SET FOREIGN_KEY_CHECKS = 0'];
  const tables = await ask(`SHOW TABLES FROM ${name}`);
  for (const table of tables.flatMap((row) => Object.values(row) as string[])) {
    const [created] = await ask(`SHOW CREATE TABLE ${name}.${table}`);
    lines.push(created?.['Create Table'] as string);
    for (const row of await ask(`SELECT * FROM ${name}.${table}`))
      lines.push(connection.format(`INSERT INTO ${table} VALUES (?)`, [Object.values(row)]));
  }
  return lines.map((line) => `${line};\n`).join('');
}

async function runMigrations(databaseUrl: string): Promise<void> {
  const dataSource = createDataSource(await dataSourceOptions(databaseUrl, 'writer'));
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
}

/** Returns a file, made on the first call of a run. If two workers make it concurrently, either result is used. */
async function cachedFile(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const folder = process.env.TEST_FOLDER as string;
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const own = join(mkdtempSync(join(folder, 'sample-')), name);
  await make(own);
  renameSync(own, path);
  return path;
}
