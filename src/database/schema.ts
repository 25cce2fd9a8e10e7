import { isMissingTable } from './dialects/error-code.js';
import { MIGRATIONS } from './migrations/migrations.js';
import type { Session } from './session.js';

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
