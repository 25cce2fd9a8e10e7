import { SyncError } from '../sync-error.js';
import { ASSET_COLUMNS, LATER_STATE_COLUMNS, LOG_COLUMNS, LONG_LATER_COLUMNS, STATE_COLUMNS } from './columns.js';
import {
  type FoundColumn,
  LOG_TABLE,
  RESYNC_TABLES,
  COPY_TABLES,
  REPLACED_TABLES,
  type SqlDatabase,
} from './sql-database.js';

/** The columns of all tables that a runner may drop, by table name. */
const COLUMNS = new Map<string, readonly string[]>([
  ...[COPY_TABLES, RESYNC_TABLES, REPLACED_TABLES].flatMap(({ assets, state }): [string, readonly string[]][] => [
    [assets, ASSET_COLUMNS],
    [state, STATE_COLUMNS.filter((column) => !LATER_STATE_COLUMNS.includes(column))],
  ]),
  [LOG_TABLE, LOG_COLUMNS],
]);

/**
 * Proves by its columns that a table with one of our names is part of a copy. Later versions may add columns.
 * @param shown the copy, for messages
 * @throws SyncError naming the table, before anything is written
 */
export function proveOwnership(found: readonly FoundColumn[], shown: string): void {
  for (const [name, columns] of COLUMNS) {
    const present = new Set(found.filter(({ table }) => table === name).map(({ column }) => column));
    if (present.size > 0 && !columns.every((column) => present.has(column))) refuse(name, shown);
  }
}

/**
 * Proves that a file is a copy: unless it is empty, it must contain a table of a copy.
 * @throws SyncError naming a table, before anything is written
 */
export function proveOwnershipOfFile(found: readonly FoundColumn[], shown: string): void {
  proveOwnership(found, shown);
  const [first] = found;
  if (first !== undefined && !found.some(({ table }) => COLUMNS.has(table))) refuse(first.table, shown);
}

/**
 * Proves that tables about to be dropped were left by a swap, and are not a copy that a user has renamed: a swap leaves the new copy, and drops
 * the old copy's assets before its state.
 * @param found tables proved to be ours
 * @throws SyncError naming the table, before anything is written
 */
export function proveReplaced(found: readonly FoundColumn[], shown: string): void {
  const [hasNew, hasTable, hasState] = [COPY_TABLES.state, REPLACED_TABLES.assets, REPLACED_TABLES.state].map((name) =>
    found.some(({ table }) => table === name),
  );
  if (hasTable && !(hasNew && hasState)) refuse(REPLACED_TABLES.assets, shown);
  if (hasState && !hasNew) refuse(REPLACED_TABLES.state, shown);
}

function refuse(table: string, shown: string): never {
  throw new SyncError(
    `${shown} has a table "${table}" that is not of a copy. Nothing was changed: choose another database for the copy`,
  );
}

/** The columns that a copy of an earlier version lacks. @param found tables proved to be ours */
export function missingColumns(found: readonly FoundColumn[]): FoundColumn[] {
  const has = (table: string, column: string): boolean =>
    found.some((one) => one.table === table && one.column === column);
  return [COPY_TABLES, RESYNC_TABLES]
    .flatMap(({ state }) => LATER_STATE_COLUMNS.map((column) => ({ table: state, column })))
    .filter(({ table, column }) => has(table, 'epoch') && !has(table, column));
}

/** Adds the missing columns to a copy on a server. @param found tables proved to be ours */
export async function addMissingColumns(database: SqlDatabase, found: readonly FoundColumn[]): Promise<void> {
  for (const { table, column } of missingColumns(found)) {
    const type = LONG_LATER_COLUMNS.includes(column) ? 'TEXT' : database.types.text(16);
    await database.run(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
}
