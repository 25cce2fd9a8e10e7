import type { DataSource } from 'typeorm';

/** Whether the database is a file. */
export function isSqlite({ options }: Pick<DataSource, 'options'>): boolean {
  return options.type === 'better-sqlite3';
}
