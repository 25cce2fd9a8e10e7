import type { QueryRunner } from 'typeorm';

/**
 * Makes the text columns of a table compare code point for code point, as SQLite does by itself: MySQL's default collations take
 * other case, accents and trailing spaces for the same id.
 */
export async function compareInBinary(runner: QueryRunner, table: string): Promise<void> {
  if (runner.dataSource.options.type === 'better-sqlite3') return;
  // A foreign key forbids to convert the two tables one after the other; both end up alike.
  await runner.query('SET SESSION foreign_key_checks = 0');
  await runner.query(`ALTER TABLE ${table} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await runner.query('SET SESSION foreign_key_checks = 1');
}
