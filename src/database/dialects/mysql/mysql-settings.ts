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

/** What the largest asset (1 MiB) needs: as text each of its bytes may take two, and a statement has more than its body. */
const MIN_PACKET = 4 * 1024 * 1024;

/**
 * A server may have any defaults for its sessions. With some of them a SELECT leaves rows out or is refused, a statement stays uncommitted,
 * COMMIT begins another transaction, duplicates are not seen, or a new table has no transactions.
 */
const SESSION_SQL = `SET SESSION sql_select_limit = 18446744073709551615, SESSION sql_big_selects = 1,
  SESSION sql_safe_updates = 0, SESSION autocommit = 1, SESSION completion_type = 0, SESSION unique_checks = 1,
  SESSION foreign_key_checks = 1, SESSION default_storage_engine = InnoDB`;

/** Gives every connection of a data source that is connected the settings on which statements rely, those of TypeORM included. */
export async function setSessions(dataSource: DataSource): Promise<void> {
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
      'The database server cuts values silently: add STRICT_TRANS_TABLES to its sql_mode',
    );
  }
  for (const mode of ['NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES']) {
    if (modes.includes(mode))
      throw new DatabaseUnusableError(`The database server reads quotes differently: remove ${mode} from its sql_mode`);
  }
  for (const what of ['client', 'connection', 'results', 'database'] as const) {
    if (settings[what] !== 'utf8mb4') {
      throw new DatabaseUnusableError(
        `character_set_${what} is ${settings[what]}, which cannot hold every text: run "registry migrate" where it has no tables, else create the database with CHARACTER SET utf8mb4`,
      );
    }
  }
  if (Number(settings.packet) < MIN_PACKET) {
    throw new DatabaseUnusableError(
      `The database server refuses what is larger than ${settings.packet} bytes, as an asset may be: set its max_allowed_packet to 16M`,
    );
  }
}

/** What does not say what it is passes for MariaDB, which is treated with more care. */
export function isMariaDb(server: ServerIdentity | undefined): boolean {
  return /mariadb/i.test(server?.version ?? 'mariadb');
}
