import type Sqlite from 'embedded-sqlite';
import { PreparedStatements } from '../dialects/sqlite/prepared-statements.ts';

/** A connection to the index's file. Places and instants are bound as bigints: SQLite takes a large number for a floating-point one. */
export class IndexFile {
  readonly handle: Sqlite.Database;
  private readonly statements: PreparedStatements;

  constructor(handle: Sqlite.Database) {
    this.handle = handle;
    this.statements = new PreparedStatements(handle);
  }

  rows<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.statements
      .of(sql)
      .pluck(false)
      .all(...values) as Row[];
  }

  /** Rows as lists of values, read one after the other: very many take no memory. */
  each<Row extends unknown[]>(sql: string, ...values: readonly unknown[]): IterableIterator<Row> {
    return this.statements
      .of(sql)
      .raw()
      .iterate(...values) as IterableIterator<Row>;
  }

  /** The values of a statement with one column: of very many rows, in half of the time. */
  values<Value>(sql: string, ...values: readonly unknown[]): Value[] {
    return this.statements
      .of(sql)
      .pluck()
      .all(...values) as Value[];
  }

  /** The first value of a statement's first row. */
  value<Value>(sql: string, ...values: readonly unknown[]): Value | undefined {
    return this.values<Value>(sql, ...values)[0];
  }

  run(sql: string, ...values: readonly unknown[]): void {
    this.statements.of(sql).run(...values);
  }
}
