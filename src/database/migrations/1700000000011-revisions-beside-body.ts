import type { QueryRunner } from 'typeorm';
import { isSqlite } from '../dialects/sqlite/is-sqlite.js';

/**
 * A covering index of a revision's columns without its body, on SQLite only: there these columns are stored after the body, so each read
 * would pass through up to a megabyte. Servers store large bodies separately, and cannot index the names of fields.
 */
export class RevisionsBesideBody1700000000011 {
  async up(runner: QueryRunner): Promise<void> {
    if (!isSqlite(runner.dataSource)) return;
    await runner.query(
      'CREATE INDEX IF NOT EXISTS ix_revision_beside_body ON revision (until_us, listed, owner, changed)',
    );
  }
}
