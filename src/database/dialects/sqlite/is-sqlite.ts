import type { DataSource } from 'typeorm';

export function isSqlite({ options }: Pick<DataSource, 'options'>): boolean {
  return options.type === 'better-sqlite3';
}
