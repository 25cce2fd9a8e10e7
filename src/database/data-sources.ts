import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseSide, Dialect } from './dialects/dialect.js';
import { MysqlDialect, mysqlOptions, serverType } from './dialects/mysql.dialect.js';
import { makeReadyForSqlite, SqliteDialect, sqliteOptions } from './dialects/sqlite.dialect.js';

/** The one place where DATABASE_URL decides. */
export function dialectOf(databaseUrl: string): Dialect {
  return databaseUrl.startsWith('sqlite:') ? new SqliteDialect() : new MysqlDialect();
}

/** TypeORM's options for one side of a database; the server is asked what it is. */
export async function dataSourceOptions(databaseUrl: string, side: DatabaseSide): Promise<DataSourceOptions> {
  if (databaseUrl.startsWith('sqlite:')) return sqliteOptions(databaseUrl, side);
  return mysqlOptions(databaseUrl, await serverType(databaseUrl), side);
}

/** A data source that is not connected yet. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  if (options.type === 'better-sqlite3') makeReadyForSqlite(dataSource);
  return dataSource;
}
