import type { DataSource } from 'typeorm';
import { DatabaseUnusableError } from '../dialects/dialect.js';
import { isMissingColumn, isMissingTable } from '../dialects/error-code.js';
import { APPLIED_SQL, isRegistry } from '../dialects/foreign-schema.js';
import { MIGRATIONS } from './migrations.js';
import type { Session } from '../connections/session.js';

/** Runs pending migrations. @returns their names */
export async function runMigrations(dataSource: DataSource): Promise<string[]> {
  const done = await dataSource.runMigrations();
  return done.map(({ name }) => name);
}

/** @throws DatabaseUnusableError if migrations are pending */
export async function assertCurrent(session: Session): Promise<void> {
  const pending = await pendingMigrations(session);
  if (pending.length > 0)
    throw new DatabaseUnusableError(
      `The database schema is behind (${pending.join(', ')}): run "registry migrate" first`,
    );
}

/** Names of pending migrations, in order. */
export async function pendingMigrations(session: Session): Promise<string[]> {
  const done = new Set(await findAppliedMigrations(session));
  return MIGRATIONS.map(({ name }) => name).filter((name) => !done.has(name));
}

/** @returns names; undefined if it is not a registry's database */
export async function findAppliedMigrations(session: Session): Promise<string[] | undefined> {
  try {
    const rows = await session.query<{ name: string }>(APPLIED_SQL);
    const applied = rows.map(({ name }) => name);
    return isRegistry(applied) ? applied : undefined;
  } catch (error) {
    if (isMissingTable(error) || isMissingColumn(error)) return undefined;
    throw error;
  }
}
