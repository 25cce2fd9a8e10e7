import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { parseDatabaseUrl } from '../../../config/database-url.js';
import { DatabaseUnusableError } from '../dialect.js';
import { sqliteRefusalOf } from './sqlite-troubles.js';

/** Each registry has this table from its first migration on. */
const OF_REGISTRY = 'feed_clock';
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
  if (!tablesIn(path).includes(OF_REGISTRY))
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

/** What is read when a file with tables has none of a registry. TypeORM's own table is there first. */
const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'migrations'`;

/** Before a registry begins in a file. @throws DatabaseUnusableError where the file has tables, and none of a registry */
export function assertNotForeign(path: string): void {
  if (isMissing(path)) return;
  const tables = tablesIn(path);
  if (tables.length > 0 && !tables.includes(OF_REGISTRY))
    throw new DatabaseUnusableError(`${resolve(path)} is the database of another program: ${REMEDY}`);
}

/** No row is changed by it. What stands beside the file, as after a kill, SQLite may put into it. */
function tablesIn(path: string): string[] {
  let handle: Sqlite.Database | undefined;
  try {
    handle = new Sqlite(path, { fileMustExist: true });
    return handle.prepare(TABLES).pluck().all() as string[];
  } catch (error) {
    const refusal = sqliteRefusalOf(path, error);
    throw refusal === undefined ? error : new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  } finally {
    handle?.close();
  }
}
