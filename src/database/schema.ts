import type { DataSource } from 'typeorm';
import { DatabaseUnusableError } from './dialects/dialect.js';
import { isMissingTable } from './dialects/error-code.js';
import { MIGRATIONS } from './migrations/migrations.js';
import type { Session } from './session.js';

/** Runs those that are pending. @returns their names */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  const done = await dataSource.runMigrations();
  return done.map(({ name }) => name);
}

/** @throws DatabaseUnusableError where migrations are pending */
export async function assertCurrent(session: Session): Promise<void> {
  const pending = await pendingMigrations(session);
  if (pending.length > 0)
    throw new DatabaseUnusableError(
      `The database schema is behind (${pending.join(', ')}): run "registry migrate" first`,
    );
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
