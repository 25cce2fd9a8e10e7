import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { parseDatabaseUrl } from '../../../platform/config/database-url.js';
import { DatabaseUnusableError, MIGRATIONS_TABLE } from '../dialect.js';
import { APPLIED_SQL, type Contents, FOREIGN, isForeign, isRegistry } from '../foreign-schema.js';
import { DIGEST_TABLE, removeDigest } from './backup-digest.js';
import { describeSqliteRefusal } from './sqlite-messages.js';

const REMEDY =
  'DATABASE_URL=sqlite:PATH names the file of the registry, and a relative path begins in the folder where the command is run';

/**
 * For commands that work on what is there: a wrong path would become an empty database, in which nothing is found, and another program's
 * file would get tables.
 * @throws DatabaseUnusableError where DATABASE_URL names a file that holds no registry
 */
export function assertRegistryThere(databaseUrl: string): void {
  const path = filePathOf(databaseUrl);
  if (path === undefined) return;
  if (isMissing(path))
    throw new DatabaseUnusableError(`There is no database at ${path}: ${REMEDY}; "registry migrate" makes a new one`);
  if (!isRegistry(readContents(path).applied))
    throw new DatabaseUnusableError(`${path} is no database of a registry: ${REMEDY}`);
}

/** @returns the path of the file that DATABASE_URL names, where there is none yet */
export function missingRegistry(databaseUrl: string): string | undefined {
  const path = filePathOf(databaseUrl);
  return path !== undefined && isMissing(path) ? path : undefined;
}

/** @returns the folder of the file that a URL names, where there is none yet */
export function missingFolder(databaseUrl: string): string | undefined {
  const path = filePathOf(databaseUrl);
  return path === undefined || existsSync(dirname(path)) ? undefined : dirname(path);
}

function filePathOf(databaseUrl: string): string | undefined {
  const address = parseDatabaseUrl(databaseUrl);
  return address?.kind === 'sqlite' ? resolve(address.path) : undefined;
}

/** An empty file is what is left of a start that went no further. */
function isMissing(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  } catch (error) {
    throw new DatabaseUnusableError(`DATABASE_URL: its file cannot be looked at (${(error as Error).message})`, {
      cause: error,
    });
  }
}

const TABLES = `SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/**
 * Prepares a file for a registry that writes to it: a backup loses its digest.
 * @throws DatabaseUnusableError for another program's database, the driver's error for a file that cannot be read
 */
export function prepareFile(path: string): void {
  if (isMissing(path)) return;
  const contents = contentsOf(path);
  if (isForeign(contents)) throw new DatabaseUnusableError(`${resolve(path)} ${FOREIGN}`);
  if (contents.tables.includes(DIGEST_TABLE)) opened(path, removeDigest);
}

function readContents(path: string): Contents {
  try {
    return contentsOf(path);
  } catch (error) {
    const refusal = describeSqliteRefusal(path, error);
    throw refusal === undefined ? error : new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  }
}

/** No row is changed by it. What stands beside the file, as after a kill, SQLite may put into it. */
function contentsOf(path: string): Contents {
  return opened(path, (handle) => {
    const tables = handle.prepare(TABLES).pluck().all() as string[];
    const isKept = tables.includes(MIGRATIONS_TABLE) && columnsOf(handle, MIGRATIONS_TABLE).includes('name');
    return { tables, applied: isKept ? (handle.prepare(APPLIED_SQL).pluck().all() as string[]) : undefined };
  });
}

function opened<T>(path: string, work: (handle: Sqlite.Database) => T): T {
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
