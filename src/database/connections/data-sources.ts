import { DataSource, type DataSourceOptions } from 'typeorm';
import { type DatabaseAddress, parseDatabaseUrl } from '../../platform/config/database-url.js';
import type { DatabaseSide, Dialect } from '../dialects/dialect.js';
import { codeOf } from '../dialects/error-code.js';
import { mysqlLogin, mysqlOptions, serverType } from '../dialects/mysql/mysql-options.js';
import { probeHost } from '../dialects/mysql/mysql-probe.js';
import { setSessions } from '../dialects/mysql/mysql-settings.js';
import { MysqlDialect } from '../dialects/mysql/mysql.dialect.js';
import { placeOf } from '../dialects/sqlite/file-place.js';
import { isSqlite } from '../dialects/sqlite/is-sqlite.js';
import { makeReadyForSqlite, SqliteDialect, sqliteOptions } from '../dialects/sqlite/sqlite.dialect.js';
import { Hosts } from './hosts.js';
import { SqliteLock } from '../dialects/sqlite/sqlite-lock.js';
import { HostMonitor } from './host-monitor.js';

/** What DATABASE_URL decides beside the options of the data sources. */
export interface DatabaseParts {
  dialect: Dialect;
  /** Only SQLite's file belongs to one process. */
  lock: SqliteLock | undefined;
  /** Undefined where there is no server. */
  monitor: HostMonitor | undefined;
}

/** The one place where DATABASE_URL decides. */
export function databaseParts(databaseUrl: string): DatabaseParts {
  const address = addressOf(databaseUrl);
  if (address.kind === 'sqlite') {
    const lock = new SqliteLock(placeOf(address.path));
    return { dialect: new SqliteDialect(address.path), lock, monitor: undefined };
  }
  const isOneOfSeveral = address.hosts.length > 1;
  const login = mysqlLogin(address);
  const monitor = new HostMonitor(new Hosts(address.hosts), (host) => probeHost(login, host, isOneOfSeveral));
  return { dialect: new MysqlDialect(login.ssl === undefined), lock: undefined, monitor };
}

/**
 * TypeORM's options for one side of a database; the server is asked what it is.
 * @param hosts shared by the sides of one service; a tool of its own needs none
 */
export async function dataSourceOptions(
  databaseUrl: string,
  side: DatabaseSide,
  hosts?: Hosts,
): Promise<DataSourceOptions> {
  const address = addressOf(databaseUrl);
  if (address.kind === 'sqlite') return sqliteOptions(placeOf(address.path), side);
  const login = mysqlLogin(address);
  const shared = hosts ?? new Hosts(address.hosts);
  return mysqlOptions(login, shared, await serverType(login, shared), side);
}

/** Tries again where the first connection is not made in time: a pause of the whole process takes up the driver's two seconds. */
class PatientDataSource extends DataSource {
  override async initialize(): Promise<this> {
    try {
      await super.initialize();
    } catch (error) {
      if (codeOf(error) !== 'ETIMEDOUT') throw error;
      await super.initialize();
    }
    if (!isSqlite(this)) await setSessions(this);
    return this;
  }
}

/** A data source that is not connected yet. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new PatientDataSource(options);
  if (isSqlite(dataSource)) makeReadyForSqlite(dataSource);
  return dataSource;
}

/** The configuration has been checked before. */
function addressOf(databaseUrl: string): DatabaseAddress {
  const address = parseDatabaseUrl(databaseUrl);
  if (address === undefined) throw new Error('DATABASE_URL cannot be read');
  return address;
}
