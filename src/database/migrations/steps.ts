import type { QueryRunner, Table } from 'typeorm';
import { useBinaryCollation } from '../dialects/binary-collation.js';
import { DatabaseUnusableError } from '../dialects/dialect.js';

/*
 * What a migration does, so that it can be done again: MySQL commits at each change of a table, and whoever broke off there begins the
 * whole migration anew.
 */

/** Creates those that are not there. @throws DatabaseUnusableError where somebody else has a table of the name, before anything is created */
export async function createTables(runner: QueryRunner, ...tables: readonly Table[]): Promise<void> {
  for (const table of tables) await assertNotForeign(runner, table);
  await useBinaryCollation(runner);
  for (const table of tables) await runner.createTable(table.clone(), true);
}

async function assertNotForeign(runner: QueryRunner, { name, columns }: Table): Promise<void> {
  const there = await runner.getTable(name);
  const missing = columns.find((column) => there?.findColumnByName(column.name) === undefined);
  if (there === undefined || missing === undefined) return;
  throw new DatabaseUnusableError(
    `The database has a table "${name}" of another program, without a column "${missing.name}": DATABASE_URL has to name a database that is the registry's own`,
  );
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
