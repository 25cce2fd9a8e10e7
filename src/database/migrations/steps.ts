import type { QueryRunner, Table } from 'typeorm';
import { useBinaryCollation } from '../dialects/binary-collation.js';

/*
 * Idempotent steps of migrations: MySQL commits each change of a table, so an interrupted migration runs again from its start.
 */

/** Creates missing tables. @throws DatabaseUnusableError as useBinaryCollation */
export async function createTables(runner: QueryRunner, ...tables: readonly Table[]): Promise<void> {
  await useBinaryCollation(runner);
  for (const table of tables) await runner.createTable(table.clone(), true);
}

/** Adds a missing column. In SQL, because TypeORM would copy the whole table on SQLite. @param type valid on all databases */
export async function addColumn(runner: QueryRunner, table: string, column: string, type: string): Promise<void> {
  if (await runner.hasColumn(table, column)) return;
  await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}

/** Inserts the only row of a table if it is missing. */
export async function insertOnlyRow(runner: QueryRunner, table: string, column: string): Promise<void> {
  const rows = (await runner.query(`SELECT id FROM ${table}`)) as unknown[];
  if (rows.length === 0) await runner.query(`INSERT INTO ${table} (id, ${column}) VALUES (1, 0)`);
}
