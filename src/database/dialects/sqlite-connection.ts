import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import { StatementError } from '../statement-error.js';
import type { DriverConnection } from './dialect.js';

/** More than a service has texts. */
const MOST_STATEMENTS = 100;

/** One for each file that is open. */
const known = new WeakMap<Sqlite.Database, SqliteConnection>();

/** The one handle of a file, which TypeORM has opened; it is never given up. */
export class SqliteConnection implements DriverConnection {
  private readonly statements = new LRUCache<string, Sqlite.Statement>({ max: MOST_STATEMENTS });

  private constructor(private readonly handle: Sqlite.Database) {}

  static of(dataSource: DataSource): SqliteConnection {
    const handle = (dataSource.driver as unknown as { databaseConnection: Sqlite.Database }).databaseConnection;
    const connection = known.get(handle) ?? new SqliteConnection(handle);
    known.set(handle, connection);
    return connection;
  }

  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    try {
      const statement = this.prepared(sql);
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return {};
    } catch (error) {
      throw new StatementError(error as Error);
    }
  }

  private prepared(sql: string): Sqlite.Statement {
    const kept = this.statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.handle.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  get isOpen(): boolean {
    return this.handle.open;
  }

  release(): void {}

  destroy(): void {}
}
