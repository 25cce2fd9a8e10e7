import type { DataSource } from 'typeorm';
import { isMissingTable } from './dialects/error-code.js';
import { MIGRATIONS } from './migrations/migrations.js';
import type { Session } from './session.js';

/**
 * Connects, and makes a database without tables keep every text, whatever character set the server gave it: MariaDB before 11.6 gives latin1.
 * One with tables stays as it is, as each of them has a character set of its own: the first session refuses it.
 */
export async function keepEveryText(dataSource: DataSource): Promise<void> {
  if (!dataSource.isInitialized) await dataSource.initialize();
  if (dataSource.options.type === 'better-sqlite3') return;
  const tables: unknown[] = await dataSource.query(
    'SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() LIMIT 1',
  );
  if (tables.length === 0) await dataSource.query('ALTER DATABASE CHARACTER SET utf8mb4');
}

/** Runs those that are pending. @returns their names */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  const done = await dataSource.runMigrations();
  return done.map(({ name }) => name);
}

/** The names of migrations that this service needs and the database lacks, in their order. */
export async function pendingMigrations(session: Session): Promise<string[]> {
  const done = new Set(await findAppliedMigrations(session));
  return MIGRATIONS.map(({ name }) => name).filter((name) => !done.has(name));
}

/** @returns names; undefined where it is no registry's database */
export async function findAppliedMigrations(session: Session): Promise<string[] | undefined> {
  try {
    const rows = await session.query<{ name: string }>('SELECT name FROM migrations');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}
