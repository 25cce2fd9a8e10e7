import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { parseDatabaseUrl } from '../../../platform/config/database-url.js';
import { DatabaseUnusableError, MIGRATIONS_TABLE } from '../dialect.js';
import { APPLIED_SQL, type Contents, FOREIGN_MESSAGE, isForeign, isRegistry } from '../foreign-schema.js';
import { DIGEST_TABLE, removeDigest } from './backup-digest.js';
import { describeSqliteRefusal } from './sqlite-messages.js';

const REMEDY =
  'DATABASE_URL=sqlite:PATH names the file of the registry, and a relative path begins in the folder where the command is run';

/**
 * For commands that need an existing registry: SQLite would create an empty database at a wrong path, and migrations would add tables to
 * another program's file.
 * @throws DatabaseUnusableError if DATABASE_URL names a file without a registry
 */
export function assertRegistryThere(databaseUrl: string): void {
  const path = filePathOf(databaseUrl);
  if (path === undefined) return;
  if (isMissing(path))
    throw new DatabaseUnusableError(`There is no database at ${path}: ${REMEDY}; "registry migrate" makes a new one`);
  if (!isRegistry(readContents(path).applied))
    throw new DatabaseUnusableError(`${path} is not the database of a registry: ${REMEDY}`);
}

/** @returns the path in DATABASE_URL if there is no file yet */
export function missingRegistry(databaseUrl: string): string | undefined {
  const path = filePathOf(databaseUrl);
  return path !== undefined && isMissing(path) ? path : undefined;
}

/** @returns the folder of the file in a URL if that folder does not exist yet */
export function missingFolder(databaseUrl: string): string | undefined {
  const path = filePathOf(databaseUrl);
  return path === undefined || existsSync(dirname(path)) ? undefined : dirname(path);
}

function filePathOf(databaseUrl: string): string | undefined {
  const address = parseDatabaseUrl(databaseUrl);
  return address?.kind === 'sqlite' ? resolve(address.path) : undefined;
}

/** An empty file counts as missing: an interrupted start leaves one. */
function isMissing(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  } catch (error) {
    throw new DatabaseUnusableError(`DATABASE_URL: its file cannot be examined (${(error as Error).message})`, {
      cause: error,
    });
  }
}

const TABLES = `SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/**
 * Prepares a file for writing: removes a backup's digest.
 * @throws DatabaseUnusableError for another program's database, the driver's error if the file cannot be read
 */
export function prepareFile(path: string): void {
  if (isMissing(path)) return;
  const contents = contentsOf(path);
  if (isForeign(contents)) throw new DatabaseUnusableError(`${resolve(path)} ${FOREIGN_MESSAGE}`);
  if (contents.tables.includes(DIGEST_TABLE)) withFile(path, removeDigest);
}

function readContents(path: string): Contents {
  try {
    return contentsOf(path);
  } catch (error) {
    const refusal = describeSqliteRefusal(path, error);
    throw refusal === undefined ? error : new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  }
}

/** Changes no row, but after a kill SQLite may merge the WAL into the file. */
function contentsOf(path: string): Contents {
  return withFile(path, (handle) => {
    const tables = handle.prepare(TABLES).pluck().all() as string[];
    const hasNames = tables.includes(MIGRATIONS_TABLE) && columnsOf(handle, MIGRATIONS_TABLE).includes('name');
    return { tables, applied: hasNames ? (handle.prepare(APPLIED_SQL).pluck().all() as string[]) : undefined };
  });
}

function withFile<T>(path: string, work: (handle: Sqlite.Database) => T): T {
  const handle = new Sqlite(path, { fileMustExist: true });
  try {
    return work(handle);
  } finally {
    handle.close();
  }
}

function columnsOf(handle: Sqlite.Database, table: string): string[] {
  return (handle.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
}
