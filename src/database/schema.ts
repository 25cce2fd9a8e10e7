import { isMissingTable } from './dialects/error-code.js';
import { MIGRATIONS } from './migrations/migrations.js';
import type { Session } from './session.js';

/** The names of migrations that this service needs and the database lacks, in their order. */
export async function pendingMigrations(session: Session): Promise<string[]> {
  const done = await appliedMigrations(session);
  return MIGRATIONS.map(({ name }) => name).filter((name) => !done.has(name));
}

async function appliedMigrations(session: Session): Promise<Set<string>> {
  try {
    const rows = await session.query<{ name: string }>('SELECT name FROM migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (isMissingTable(error)) return new Set();
    throw error;
  }
}
