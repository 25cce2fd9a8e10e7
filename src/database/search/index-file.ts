import type Sqlite from 'embedded-sqlite';
import { PreparedStatements } from '../dialects/sqlite/prepared-statements.ts';

/** A connection to the index's file. Bind `seq` and instants as bigint, because SQLite stores a large number as floating-point. */
export class IndexFile {
  readonly handle: Sqlite.Database;
  private readonly statements: PreparedStatements;

  constructor(handle: Sqlite.Database) {
    this.handle = handle;
    this.statements = new PreparedStatements(handle);
  }

  rows<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.statements
      .prepare(sql)
      .pluck(false)
      .all(...values) as Row[];
  }

  /** Streams rows as arrays, in constant memory. */
  each<Row extends unknown[]>(sql: string, ...values: readonly unknown[]): IterableIterator<Row> {
    return this.statements
      .prepare(sql)
      .raw()
      .iterate(...values) as IterableIterator<Row>;
  }

  /** The values of a single column; twice as fast as `rows`. */
  values<Value>(sql: string, ...values: readonly unknown[]): Value[] {
    return this.statements
      .prepare(sql)
      .pluck()
      .all(...values) as Value[];
  }

  /** The first column of the first row. */
  value<Value>(sql: string, ...values: readonly unknown[]): Value | undefined {
    return this.values<Value>(sql, ...values)[0];
  }

  run(sql: string, ...values: readonly unknown[]): void {
    this.statements.prepare(sql).run(...values);
  }
}
