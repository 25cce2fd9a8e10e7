import type Sqlite from 'embedded-sqlite';
import type { DataSource } from 'typeorm';
import { StatementError, type DriverConnection } from '../dialect.js';
import { PreparedStatements } from './prepared-statements.js';

/** The data source's only handle of its file. */
export function handleOf(dataSource: DataSource): Promise<Sqlite.Database> {
  return dataSource.createQueryRunner().connect() as Promise<Sqlite.Database>;
}

/** One for each open file. */
const connections = new WeakMap<Sqlite.Database, SqliteConnection>();

/** The only handle of a file, opened by TypeORM: statements are synchronous, and neither `release` nor `destroy` closes it. */
export class SqliteConnection implements DriverConnection {
  private readonly statements: PreparedStatements;

  private constructor(private readonly handle: Sqlite.Database) {
    this.statements = new PreparedStatements(handle);
  }

  /** @returns the same connection for the same handle */
  static of(handle: Sqlite.Database): SqliteConnection {
    const connection = connections.get(handle) ?? new SqliteConnection(handle);
    connections.set(handle, connection);
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
