import type { Pool } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { DatabaseUnusableError } from '../dialect.js';

export interface ServerIdentity {
  version: string;
}

export interface ServerSettings extends ServerIdentity {
  sql_mode: string;
  client: string;
  connection: string;
  results: string;
  database: string;
  /** max_allowed_packet, in bytes; as a number or as text. */
  packet: number | string;
}

/** For the largest asset (1 MiB): escaping may double its bytes, and a statement has more than the body. */
const MIN_PACKET = 4 * 1024 * 1024;

/**
 * Overrides server defaults that would truncate or refuse a SELECT, leave a statement uncommitted, chain a transaction to COMMIT, skip
 * checks of keys, or create tables without transactions.
 */
const SESSION_SQL = `SET SESSION sql_select_limit = 18446744073709551615, SESSION sql_big_selects = 1,
  SESSION sql_safe_updates = 0, SESSION autocommit = 1, SESSION completion_type = 0, SESSION unique_checks = 1,
  SESSION foreign_key_checks = 1, SESSION default_storage_engine = InnoDB`;

/** Applies the session settings to every connection of a connected data source, including those that TypeORM uses itself. */
export async function applySessionSettings(dataSource: DataSource): Promise<void> {
  const pool = (dataSource.driver as MysqlDriver).pool as Pool;
  pool.on('connection', (connection) =>
    connection.query(SESSION_SQL, (error) => {
      if (error !== null) connection.destroy();
    }),
  );
  await dataSource.query(SESSION_SQL);
}

export const SETTINGS_SQL = `SELECT VERSION() AS version, @@sql_mode AS sql_mode, @@character_set_client AS client,
  @@character_set_connection AS connection, @@character_set_results AS results,
  @@character_set_database AS \`database\`, @@max_allowed_packet AS packet`;

/** @throws DatabaseUnusableError when text or quotes would not mean what was sent */
export function checkSettings(settings: ServerSettings): void {
  const modes = settings.sql_mode.split(',');
  if (!modes.includes('STRICT_TRANS_TABLES') && !modes.includes('STRICT_ALL_TABLES')) {
    throw new DatabaseUnusableError(
      'The database server truncates values silently: add STRICT_TRANS_TABLES to its sql_mode',
    );
  }
  for (const mode of ['NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES']) {
    if (modes.includes(mode))
      throw new DatabaseUnusableError(`The database server reads quotes differently: remove ${mode} from its sql_mode`);
  }
  for (const what of ['client', 'connection', 'results', 'database'] as const) {
    if (settings[what] !== 'utf8mb4') {
      throw new DatabaseUnusableError(
        `character_set_${what} is ${settings[what]}, which cannot store every text: run "registry migrate" if the database has no tables, otherwise create it with CHARACTER SET utf8mb4`,
      );
    }
  }
  if (Number(settings.packet) < MIN_PACKET) {
    throw new DatabaseUnusableError(
      `The database server refuses packets larger than ${settings.packet} bytes, and an asset may be larger: set its max_allowed_packet to 16M`,
    );
  }
}

/** An unknown server counts as MariaDB, whose reads need more checks. */
export function isMariaDb(server: ServerIdentity | undefined): boolean {
  return /mariadb/i.test(server?.version ?? 'mariadb');
}
