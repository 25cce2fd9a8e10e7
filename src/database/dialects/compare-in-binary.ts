import type { QueryRunner } from 'typeorm';
import { isSqlite } from './sqlite/is-sqlite.js';

/**
 * Makes tables that are created from now on compare text code point for code point, as SQLite does by itself: MySQL's default
 * collations take other case and accents for the same id, and its older binary ones a trailing space too. Every migration that creates
 * a table begins with it.
 */
export async function compareInBinary(runner: QueryRunner): Promise<void> {
  if (isSqlite(runner.dataSource)) return;
  const [server] = (await runner.query('SELECT VERSION() AS version')) as { version: string }[];
  const collation = /mariadb/i.test(server?.version ?? '') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  await runner.query(`ALTER DATABASE CHARACTER SET utf8mb4 COLLATE ${collation}`);
}
