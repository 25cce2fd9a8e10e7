import { MysqlDatabase } from './mysql-database.js';
import { PostgresDatabase } from './postgres-database.js';
import type { SqlDatabase } from './sql-database.js';
import type { ServerTarget } from './target.js';

/** Opens connections to a kind of database server. */
interface ServerDatabase {
  /** For writing to a copy. @throws SyncError while another runner does */
  open(target: ServerTarget): Promise<SqlDatabase>;
  /** For reading a copy, also while a runner writes. */
  openToRead(target: ServerTarget): Promise<SqlDatabase>;
  /** For a table next to a copy. */
  connect(target: ServerTarget): Promise<SqlDatabase>;
}

export function serverDatabase({ kind }: ServerTarget): ServerDatabase {
  return kind === 'mysql' ? MysqlDatabase : PostgresDatabase;
}
