import type Sqlite from 'embedded-sqlite';
import type { DataSource } from 'typeorm';
import { StatementError, type DriverConnection } from '../dialect.js';
import { PreparedStatements } from './prepared-statements.js';

/** The one handle of a file that a data source has opened. */
export function handleOf(dataSource: DataSource): Promise<Sqlite.Database> {
  return dataSource.createQueryRunner().connect() as Promise<Sqlite.Database>;
}

/** One for each file that is open. */
const known = new WeakMap<Sqlite.Database, SqliteConnection>();

/** The one handle of a file, which TypeORM has opened: a statement is over when its call is. It is never given up. */
export class SqliteConnection implements DriverConnection {
  private readonly statements: PreparedStatements;

  private constructor(private readonly handle: Sqlite.Database) {
    this.statements = new PreparedStatements(handle);
  }

  /** The connection of a handle; the same one each time. */
  static of(handle: Sqlite.Database): SqliteConnection {
    const connection = known.get(handle) ?? new SqliteConnection(handle);
    known.set(handle, connection);
    return connection;
  }

  async run(sql: string, values: readonly unknown[]): Promise<unknown> {
    try {
      return this.statements.run(sql, values);
    } catch (error) {
      throw new StatementError(error as Error);
    }
  }

  get isOpen(): boolean {
    return this.handle.open;
  }

  release(): void {}

  destroy(): void {}
}
