import type { QueryRunner } from 'typeorm';
import { DatabaseUnusableError, MIGRATIONS_TABLE } from './dialect.js';
import { isSqlite } from './sqlite/is-sqlite.js';

/**
 * Makes new tables compare text by code points, as SQLite does: MySQL's default collations ignore case and accents, its older binary ones
 * trailing spaces. Call it before creating a table.
 * @throws DatabaseUnusableError if the default collation is another one and the database has tables already
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
