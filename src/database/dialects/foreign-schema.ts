import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from '../entities/entities.js';
import { MIGRATIONS } from '../migrations/migrations.js';
import { MIGRATIONS_TABLE } from './dialect.js';

export const APPLIED_SQL = `SELECT name FROM ${MIGRATIONS_TABLE}`;
/** Message for another program's database, to follow its name. */
export const FOREIGN_MESSAGE =
  'is the database of another program: DATABASE_URL, and the target of "db move", name a database of the registry or an empty one';

/** Contents of a database, read before anything is written to it. */
export interface Contents {
  /** Names of its tables and views. */
  tables: readonly string[];
  /** Names of applied migrations; undefined without TypeORM's table of them. */
  applied: readonly string[] | undefined;
}

export function isRegistry(applied: Contents['applied']): boolean {
  return applied?.includes(MIGRATIONS[0]?.name as string) === true;
}

/**
 * Whether a database belongs to another program. Table names alone don't decide, because any program may have an `asset` or a `migrations`
 * table; but a registry whose first migration was interrupted has some of its tables and no applied migration.
 */
export function isForeign({ tables, applied }: Contents): boolean {
  if (tables.length === 0 || isRegistry(applied)) return false;
  const ours = new Set([MIGRATIONS_TABLE, ...entityTables()]);
  return applied === undefined || applied.length > 0 || tables.some((table) => !ours.has(table));
}

function entityTables(): (string | undefined)[] {
  const entities = new Set<unknown>(ENTITIES);
  return getMetadataArgsStorage()
    .tables.filter(({ target }) => entities.has(target))
    .map(({ name }) => name);
}
