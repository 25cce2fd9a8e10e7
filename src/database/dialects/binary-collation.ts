import type { QueryRunner } from 'typeorm';
import { DatabaseUnusableError, MIGRATIONS_TABLE } from './dialect.js';
import { isSqlite } from './sqlite/is-sqlite.js';

/**
 * Makes sure that new tables compare text code point for code point, as SQLite does: MySQL's default collations treat ids that differ in
 * case or accents as equal, and its older binary ones ignore trailing spaces. Every migration that creates a table begins with it. The
 * default collation is changed only while the database has no tables but TypeORM's own.
 * @throws DatabaseUnusableError for another default collation of a database that has tables
 */
export async function useBinaryCollation(runner: QueryRunner): Promise<void> {
  if (isSqlite(runner.dataSource)) return;
  const [found] = (await runner.query(
    `SELECT VERSION() AS version, default_collation_name AS collation, (SELECT COUNT(*) FROM information_schema.tables
       WHERE table_schema = DATABASE() AND table_name <> '${MIGRATIONS_TABLE}') AS tables
     FROM information_schema.schemata WHERE schema_name = DATABASE()`,
  )) as { version: string; collation: string; tables: unknown }[];
  const collation = /mariadb/i.test(found?.version ?? '') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  if (found?.collation === collation) return;
  const sql = `ALTER DATABASE CHARACTER SET utf8mb4 COLLATE ${collation}`;
  if (Number(found?.tables) > 0)
    throw new DatabaseUnusableError(
      `The default collation of the database is ${found?.collation}, and a new table would compare ids by it: run "${sql}" on it first`,
    );
  await runner.query(sql);
}
