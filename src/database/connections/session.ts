import type { DataSource } from 'typeorm';
import type { Dialect, DriverConnection, SessionSide } from '../dialects/dialect.js';
import type { StatementRunner, WriteResult } from '../dialects/statement-runner.js';

interface InsertTarget {
  table: string;
  columns: readonly string[];
}

/** The side that each pooled connection was last prepared for. */
const preparedSide = new WeakMap<DriverConnection, SessionSide>();
/** An INSERT has a multiple of 8 rows, or fewer than 8, so that a connection prepares few different texts. */
const ROWS_PER_STEP = 8;
/** In UTF-16 code units, each at most three bytes even when escaped: fits the smallest allowed packet, 4 MiB. */
const MAX_STATEMENT_LENGTH = Math.floor((4 * 1024 * 1024 - 64 * 1024) / 3);
/** Added to each value's length, so that a statement never has more than the 65,535 values that a server binds. */
const LENGTH_PER_VALUE = 24;

/** A connection for one piece of work: release it, or destroy it if its state is unknown. */
export class Session implements StatementRunner {
  private constructor(private readonly connection: DriverConnection) {}

  /** @throws the driver's error, DeadlineError, or DatabaseUnusableError when the server's settings are unsafe */
  static async open(dataSource: DataSource, dialect: Dialect, side: SessionSide): Promise<Session> {
    const connection = await dialect.connect(dataSource, side);
    const session = new Session(connection);
    if (preparedSide.get(connection) !== side) {
      try {
        await dialect.prepare(session, side);
      } catch (error) {
        session.destroy();
        throw error;
      }
      preparedSide.set(connection, side);
    }
    return session;
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.run(sql, values)) as Row[];
  }

  async execute(sql: string, values: readonly unknown[] = []): Promise<WriteResult> {
    return (await this.run(sql, values)) as WriteResult;
  }

  /**
   * Inserts rows, with values in the order of the columns, in as few statements as the database accepts.
   * @param overwriteSql appended to each statement; without it, an existing key is an error
   */
  async insertRows(target: InsertTarget, rows: readonly (readonly unknown[])[], overwriteSql = ''): Promise<void> {
    const begun: Promise<unknown>[] = [];
    for (const statement of statementRows(rows)) {
      const whole = statement.length - (statement.length % ROWS_PER_STEP);
      for (const chunk of [statement.slice(0, whole), statement.slice(whole)]) {
        const values = ([] as unknown[]).concat(...chunk);
        if (chunk.length > 0) begun.push(this.run(insertSql(target, chunk.length, overwriteSql), values));
      }
    }
    await settleAll(begun);
  }

  /**
   * Sends all statements that `begin` starts in one round trip. Each runs even if an earlier one fails, so never include a COMMIT.
   * @throws the first failure, once all have ended
   */
  together<T extends readonly unknown[]>(begin: () => { [Index in keyof T]: Promise<T[Index]> }): Promise<T> {
    return settleAll(this.connection.together?.(begin) ?? begin());
  }

  /** Turns pipelining on for this connection, if the network path supports it. @returns false if the attempt broke the connection */
  canPipeline(): Promise<boolean> {
    return this.connection.canPipeline?.() ?? Promise.resolve(true);
  }

  private run(sql: string, values: readonly unknown[]): Promise<unknown> {
    return this.connection.run(sql, values);
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  release(): void {
    this.connection.release();
  }

  /** Closes the connection; the server rolls an open transaction back. */
  destroy(): void {
    this.connection.destroy();
  }
}

/** Waits for all, even after a failure: a statement still in flight would otherwise run in the next transaction. */
async function settleAll<T extends readonly unknown[]>(begun: { [Index in keyof T]: Promise<T[Index]> }): Promise<T> {
  await Promise.allSettled(begun);
  return Promise.all(begun);
}

function insertSql({ table, columns }: InsertTarget, rows: number, overwriteSql: string): string {
  const tuples = Array.from({ length: rows }, () => `(${placeholdersFor(columns)})`).join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples} ${overwriteSql}`;
}

/** Splits rows into statements, in their order. A row larger than the limit gets a statement to itself. */
function statementRows<Row extends readonly unknown[]>(rows: readonly Row[]): Row[][] {
  const statements: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    const length = row.reduce<number>(
      (sum, value) => sum + LENGTH_PER_VALUE + (typeof value === 'string' ? value.length : 0),
      0,
    );
    if (length > left) {
      statements.push([]);
      left = MAX_STATEMENT_LENGTH;
    }
    statements.at(-1)?.push(row);
    left -= length;
  }
  return statements;
}

/** `?, ?, ?` */
export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/**
 * Repeats the last value of an `IN (…)` until the count is a power of 2, so that a connection prepares few different texts.
 * @param values at least one
 */
export function padded<T>(values: readonly T[]): T[] {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: size - values.length }, () => values.at(-1) as T)];
}
