import type { ConnectionOptions } from 'mysql2';
import { createConnection } from 'mysql2/promise';
import type { MysqlDataSourceOptions } from 'typeorm/driver/mysql/MysqlDataSourceOptions.js';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { ENTITIES } from '../../entities/entities.js';
import type { HostAddress, ServerAddress } from '../../../platform/config/database-url.js';
import { type Hosts, openSocket } from '../../connections/hosts.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { type DatabaseSide, DatabaseUnusableError } from '../dialect.js';
import { isMariaDb, type ServerIdentity } from './mysql-settings.js';
import { type SslOptions, sslOptions } from './mysql-tls.js';

const POOL_SIZE: Record<DatabaseSide, number> = { writer: 2, reader: 16, copier: 2 };
const MAX_WAITING_READERS = 512;
/** Prepared statements per connection; a service uses fewer. */
const MAX_PREPARED = 100;

/** Connection settings without the host. */
export interface MysqlLogin {
  user: string;
  password: string;
  database: string;
  ssl?: SslOptions;
}

/** @throws DatabaseUnusableError if the URL's CA file cannot be used */
export function mysqlLogin({ user, password, database, tls }: ServerAddress): MysqlLogin {
  return { user, password, database, ...(tls !== undefined && { ssl: sslOptions(tls) }) };
}

/** Options of a connection outside the pools. @param connectTimeout in milliseconds */
export function connectionOptions(login: MysqlLogin, host: HostAddress, connectTimeout: number): ConnectionOptions {
  return { ...login, ...host, connectTimeout, stream: () => openSocket(host) };
}

/**
 * Asks the first reachable host whether it is MariaDB or MySQL. @returns `mariadb` if none is reachable, because its reads need more checks
 * @throws DatabaseUnusableError if the server's sql_select_limit is 0
 */
export async function serverType(login: MysqlLogin, hosts: Hosts): Promise<'mariadb' | 'mysql'> {
  for (const address of hosts.all) {
    try {
      return isMariaDb(await identityOf(login, address)) ? 'mariadb' : 'mysql';
    } catch (error) {
      if (error instanceof DatabaseUnusableError) throw error;
    }
  }
  return 'mariadb';
}

async function identityOf(login: MysqlLogin, host: HostAddress): Promise<ServerIdentity> {
  const connection = await createConnection(connectionOptions(login, host, TIME_BUDGETS_MS.connecting));
  connection.on('error', () => undefined);
  try {
    const [rows] = await connection.query({ sql: 'SELECT VERSION() AS version', timeout: TIME_BUDGETS_MS.connecting });
    const [identity] = rows as ServerIdentity[];
    if (identity !== undefined) return identity;
    throw new DatabaseUnusableError('The database server leaves out every row: set its sql_select_limit to DEFAULT');
  } finally {
    void connection.end().catch(() => undefined);
    connection.destroy();
  }
}

export function mysqlOptions(
  { user, password, database, ssl }: MysqlLogin,
  hosts: Hosts,
  type: 'mariadb' | 'mysql',
  side: DatabaseSide,
): MysqlDataSourceOptions {
  return {
    type,
    username: user,
    password,
    database,
    ...(ssl !== undefined && { ssl }),
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    charset: 'UTF8MB4_BIN',
    timezone: 'Z',
    multipleStatements: false,
    connectTimeout: TIME_BUDGETS_MS.connecting,
    // Instants fit exactly into a number.
    bigNumberStrings: false,
    poolSize: POOL_SIZE[side],
    extra: {
      maxIdle: POOL_SIZE[side],
      idleTimeout: 60_000,
      queueLimit: MAX_WAITING_READERS,
      maxPreparedStatements: MAX_PREPARED,
      stream: ({ config }: { config: HostAddress }) => {
        // The driver checks the certificate against this host; a pool's options have none.
        Object.assign(config, hosts.current);
        return hosts.connect();
      },
      flags: ['-LOCAL_FILES'],
    },
  };
}
