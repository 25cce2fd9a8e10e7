import type { QueryRunner, Table } from 'typeorm';
import { useBinaryCollation } from '../dialects/binary-collation.js';

/*
 * What a migration does, so that it can be done again: MySQL commits at each change of a table, and whoever broke off there begins the
 * whole migration anew.
 */

/** Creates those that are not there. @throws DatabaseUnusableError as useBinaryCollation */
export async function createTables(runner: QueryRunner, ...tables: readonly Table[]): Promise<void> {
  await useBinaryCollation(runner);
  for (const table of tables) await runner.createTable(table.clone(), true);
}

/** Adds a column that is not there. In SQL, because TypeORM would copy the whole table on SQLite. @param type as all databases write it */
export async function addColumn(runner: QueryRunner, table: string, column: string, type: string): Promise<void> {
  if (await runner.hasColumn(table, column)) return;
  await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
}

/** Inserts the only row of a table, where it has none. */
export async function insertOnlyRow(runner: QueryRunner, table: string, column: string): Promise<void> {
  const rows = (await runner.query(`SELECT id FROM ${table}`)) as unknown[];
  if (rows.length === 0) await runner.query(`INSERT INTO ${table} (id, ${column}) VALUES (1, 0)`);
}
