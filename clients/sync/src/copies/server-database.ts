import { MysqlDatabase } from './mysql-database.js';
import { PostgresDatabase } from './postgres-database.js';
import type { SqlDatabase } from './sql-database.js';
import type { ServerTarget } from './target.js';

/** How a database of a server is connected to. */
interface ServerDatabase {
  /** To write to a copy. @throws SyncError while another runner does */
  open(target: ServerTarget): Promise<SqlDatabase>;
  /** To look at a copy; a runner may go on. */
  openToRead(target: ServerTarget): Promise<SqlDatabase>;
  /** For a table that stands beside a copy. */
  connect(target: ServerTarget): Promise<SqlDatabase>;
}

export function serverDatabase({ kind }: ServerTarget): ServerDatabase {
  return kind === 'mysql' ? MysqlDatabase : PostgresDatabase;
}
