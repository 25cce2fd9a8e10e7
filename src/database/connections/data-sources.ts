import { DataSource, type DataSourceOptions } from 'typeorm';
import { type DatabaseAddress, parseDatabaseUrl } from '../../platform/config/database-url.js';
import type { DatabaseSide, Dialect } from '../dialects/dialect.js';
import { codeOf } from '../dialects/error-code.js';
import { mysqlLogin, mysqlOptions, serverType } from '../dialects/mysql/mysql-options.js';
import { probeHost } from '../dialects/mysql/mysql-probe.js';
import { applySessionSettings } from '../dialects/mysql/mysql-settings.js';
import { MysqlDialect } from '../dialects/mysql/mysql.dialect.js';
import { resolveLinks } from '../dialects/sqlite/resolve-links.js';
import { isSqlite } from '../dialects/sqlite/is-sqlite.js';
import { prepareForSqlite, SqliteDialect, sqliteOptions } from '../dialects/sqlite/sqlite.dialect.js';
import { Hosts } from './hosts.js';
import { SqliteLock } from '../dialects/sqlite/sqlite-lock.js';
import { HostMonitor } from './host-monitor.js';

/** All that depends on the kind of database, except the data sources' options. */
export interface DatabaseParts {
  dialect: Dialect;
  /** Undefined for a server: only an SQLite file belongs to one process. */
  lock: SqliteLock | undefined;
  /** Undefined for SQLite. */
  monitor: HostMonitor | undefined;
}

export function databaseParts(databaseUrl: string): DatabaseParts {
  const address = addressOf(databaseUrl);
  if (address.kind === 'sqlite') {
    const lock = new SqliteLock(resolveLinks(address.path));
    return { dialect: new SqliteDialect(address.path), lock, monitor: undefined };
  }
  const isOneOfSeveral = address.hosts.length > 1;
  const login = mysqlLogin(address);
  const monitor = new HostMonitor(new Hosts(address.hosts), (host) => probeHost(login, host, isOneOfSeveral));
  return { dialect: new MysqlDialect(login.ssl === undefined), lock: undefined, monitor };
}

/**
 * TypeORM's options for one side of a database; asks a server whether it is MySQL or MariaDB.
 * @param hosts shared by the sides of a service; commands omit it
 */
export async function dataSourceOptions(
  databaseUrl: string,
  side: DatabaseSide,
  hosts?: Hosts,
): Promise<DataSourceOptions> {
  const address = addressOf(databaseUrl);
  if (address.kind === 'sqlite') return sqliteOptions(resolveLinks(address.path), side);
  const login = mysqlLogin(address);
  const shared = hosts ?? new Hosts(address.hosts);
  return mysqlOptions(login, shared, await serverType(login, shared), side);
}

/** Retries a first connection that times out, because a pause of the process may have used up the driver's two seconds. */
class RetryingDataSource extends DataSource {
  override async initialize(): Promise<this> {
    try {
      await super.initialize();
    } catch (error) {
      if (codeOf(error) !== 'ETIMEDOUT') throw error;
      await super.initialize();
    }
    if (!isSqlite(this)) await applySessionSettings(this);
    return this;
  }
}

/** @returns a data source that is not connected yet */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new RetryingDataSource(options);
  if (isSqlite(dataSource)) prepareForSqlite(dataSource);
  return dataSource;
}

function addressOf(databaseUrl: string): DatabaseAddress {
  const address = parseDatabaseUrl(databaseUrl);
  // The configuration was validated at start.
  if (address === undefined) throw new Error('DATABASE_URL cannot be parsed');
  return address;
}
