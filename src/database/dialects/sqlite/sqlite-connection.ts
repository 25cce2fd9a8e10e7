import type Sqlite from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { StatementError, type DriverConnection } from '../dialect.js';
import { LRUCache } from 'lru-cache';

/** More than a service has texts. */
const MOST_STATEMENTS = 100;

/** The one handle of a file. */
export function handleOf({ driver }: DataSource): Sqlite.Database {
  return (driver as unknown as { databaseConnection: Sqlite.Database }).databaseConnection;
}

/** One for each file that is open. */
const known = new WeakMap<Sqlite.Database, SqliteConnection>();

/** The one handle of a file, which TypeORM has opened; it is never given up. */
export class SqliteConnection implements DriverConnection {
  private readonly statements: PreparedStatements;

  private constructor(private readonly handle: Sqlite.Database) {
    this.statements = new PreparedStatements(handle, MOST_STATEMENTS);
  }

  static of(dataSource: DataSource): SqliteConnection {
    const handle = handleOf(dataSource);
    const connection = known.get(handle) ?? new SqliteConnection(handle);
    known.set(handle, connection);
    return connection;
  }

  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    try {
      const statement = this.statements.of(sql);
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return {};
    } catch (error) {
      throw new StatementError(error as Error);
    }
  }

  /** Each was run when it was begun. */
  together<T>(begin: () => T): T {
    return begin();
  }

  takesSeveral(): Promise<boolean> {
    return Promise.resolve(true);
  }

  get isOpen(): boolean {
    return this.handle.open;
  }

  release(): void {}

  destroy(): void {}
}

/** The statements of one SQLite handle by their texts, each prepared once. */
export class PreparedStatements {
  private readonly statements: LRUCache<string, Sqlite.Statement>;

  /** @param most that are kept; beyond it the one that was not used for the longest time is prepared anew */
  constructor(
    private readonly handle: Sqlite.Database,
    most: number,
  ) {
    this.statements = new LRUCache({ max: most });
  }

  /** @throws the driver's error for a text that is no statement */
  of(sql: string): Sqlite.Statement {
    const kept = this.statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.handle.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
