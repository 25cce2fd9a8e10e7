import { SyncError } from '../sync-error.js';
import { ASSET_COLUMNS, LATER_STATE_COLUMNS, LOG_COLUMNS, LONG_LATER_COLUMNS, STATE_COLUMNS } from './columns.js';
import {
  type FoundColumn,
  LOG_TABLE,
  NAME_BESIDE,
  NAME_OF_COPY,
  NAME_REPLACED,
  type SqlDatabase,
} from './sql-database.js';

/** The columns of all tables that a runner may drop, by the table's name. */
const COLUMNS = new Map<string, readonly string[]>([
  ...[NAME_OF_COPY, NAME_BESIDE, NAME_REPLACED].flatMap(({ assets, state }): [string, readonly string[]][] => [
    [assets, ASSET_COLUMNS],
    [state, STATE_COLUMNS.filter((column) => !LATER_STATE_COLUMNS.includes(column))],
  ]),
  [LOG_TABLE, LOG_COLUMNS],
]);

/**
 * Proves that what has the name of one of our tables is ours: by its columns. Later versions may add some.
 * @param shown the copy, for people
 * @throws SyncError that names the table, before anything is written
 */
export function proveOwnership(found: readonly FoundColumn[], shown: string): void {
  for (const [name, columns] of COLUMNS) {
    const there = new Set(found.filter(({ table }) => table === name).map(({ column }) => column));
    if (there.size > 0 && !columns.every((column) => there.has(column))) refuse(name, shown);
  }
}

/**
 * Proves the same of a file, which nobody but a copy begins in: where something is in it, a table of ours is.
 * @throws SyncError that names a table, before anything is written
 */
export function proveOwnershipOfFile(found: readonly FoundColumn[], shown: string): void {
  proveOwnership(found, shown);
  const [first] = found;
  if (first !== undefined && !found.some(({ table }) => COLUMNS.has(table))) refuse(first.table, shown);
}

/**
 * Proves that what is about to be dropped is what a swap left behind, and no copy that somebody has put aside under such a name: a swap leaves
 * the new copy in its place, and of the old one the assets go first.
 * @param found of tables that are proved to be ours
 * @throws SyncError that names the table, before anything is written
 */
export function proveReplaced(found: readonly FoundColumn[], shown: string): void {
  const [hasNew, hasTable, hasState] = [NAME_OF_COPY.state, NAME_REPLACED.assets, NAME_REPLACED.state].map((name) =>
    found.some(({ table }) => table === name),
  );
  if (hasTable && !(hasNew && hasState)) refuse(NAME_REPLACED.assets, shown);
  if (hasState && !hasNew) refuse(NAME_REPLACED.state, shown);
}

function refuse(table: string, shown: string): never {
  throw new SyncError(
    `${shown} holds a table "${table}" that is not of a copy. Nothing was changed: choose another database for the copy`,
  );
}

/** The columns that a copy of an earlier version lacks. @param found of tables that are proved to be ours */
export function lackingColumns(found: readonly FoundColumn[]): FoundColumn[] {
  const has = (table: string, column: string): boolean =>
    found.some((one) => one.table === table && one.column === column);
  return [NAME_OF_COPY, NAME_BESIDE]
    .flatMap(({ state }) => LATER_STATE_COLUMNS.map((column) => ({ table: state, column })))
    .filter(({ table, column }) => has(table, 'epoch') && !has(table, column));
}

/** Adds them to a copy on a server. @param found of tables that are proved to be ours */
export async function addLackingColumns(database: SqlDatabase, found: readonly FoundColumn[]): Promise<void> {
  for (const { table, column } of lackingColumns(found)) {
    const type = LONG_LATER_COLUMNS.includes(column) ? 'TEXT' : database.types.text(16);
    await database.run(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
}
