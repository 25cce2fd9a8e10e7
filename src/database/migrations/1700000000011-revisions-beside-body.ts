import type { QueryRunner } from 'typeorm';
import { isSqlite } from '../dialects/sqlite/is-sqlite.js';

/**
 * What the history tells of a change stands behind the body of its row. Where bodies are large, a file would be gone through for it, a
 * megabyte a change. Servers keep large bodies apart, and cannot have the names of fields in an index.
 */
export class RevisionsBesideBody1700000000011 {
  async up(runner: QueryRunner): Promise<void> {
    if (!isSqlite(runner.dataSource)) return;
    await runner.query(
      'CREATE INDEX IF NOT EXISTS ix_revision_beside_body ON revision (until_us, listed, owner, changed)',
    );
  }
}
