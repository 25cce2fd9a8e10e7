import type { QueryRunner } from 'typeorm';

/**
 * Makes tables that are created from now on compare text code point for code point, as SQLite does by itself: MySQL's default
 * collations take other case, accents and trailing spaces for the same id. Every migration that creates a table begins with it.
 */
export async function compareInBinary(runner: QueryRunner): Promise<void> {
  if (runner.dataSource.options.type === 'better-sqlite3') return;
  await runner.query('ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
}
