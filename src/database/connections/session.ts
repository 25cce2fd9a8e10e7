import type { DataSource } from 'typeorm';
import type { Dialect, DriverConnection, SessionSide } from '../dialects/dialect.js';
import type { StatementRunner, WriteResult } from '../dialects/statement-runner.js';

interface InsertTarget {
  table: string;
  columns: readonly string[];
}

/** What connections were prepared for last: pools hand them out again and again. */
const prepared = new WeakMap<DriverConnection, SessionSide>();
/** Rows of one INSERT are a multiple of it, or fewer: each number of rows is a text of its own, which a connection keeps prepared. */
const ROWS_A_STEP = 8;
/** In code units of text: a server takes packets of 4 MiB at least, and a unit takes at most three bytes, escaped or not. */
const MAX_STATEMENT_LENGTH = Math.floor((4 * 1024 * 1024 - 64 * 1024) / 3);
/** What a value counts beside its text. So no statement has more values than a server binds, which are 65,535. */
const EACH_VALUE = 24;

/** One connection for one piece of work; given back by release, or destroyed when it cannot be trusted any more. */
export class Session implements StatementRunner {
  private constructor(private readonly connection: DriverConnection) {}

  /** @throws the driver's error, DeadlineError, or DatabaseUnusableError when the server's settings are unsafe */
  static async open(dataSource: DataSource, dialect: Dialect, side: SessionSide): Promise<Session> {
    const connection = await dialect.connect(dataSource, side);
    const session = new Session(connection);
    if (prepared.get(connection) !== side) {
      try {
        await dialect.prepare(session, side);
      } catch (error) {
        session.destroy();
        throw error;
      }
      prepared.set(connection, side);
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
   * Inserts rows, each with its values in the order of the columns, in as few statements as a database takes.
   * @param overwriteSql appended to each; what is there already is an error without it
   */
  async insertRows(target: InsertTarget, rows: readonly (readonly unknown[])[], overwriteSql = ''): Promise<void> {
    const begun: Promise<unknown>[] = [];
    for (const ofOne of statementRows(rows)) {
      const whole = ofOne.length - (ofOne.length % ROWS_A_STEP);
      for (const some of [ofOne.slice(0, whole), ofOne.slice(whole)]) {
        const values = ([] as unknown[]).concat(...some);
        if (some.length > 0) begun.push(this.run(insertSql(target, some.length, overwriteSql), values));
      }
    }
    await allOver(begun);
  }

  /**
   * Runs all statements that `begin` begins at once, in their order: one way to a server and back. Each is run whatever becomes of those
   * before it, so a COMMIT is none of them.
   * @throws what the first of them that failed does, when all are over
   */
  together<T extends readonly unknown[]>(begin: () => { [Place in keyof T]: Promise<T[Place]> }): Promise<T> {
    return allOver(this.connection.together?.(begin) ?? begin());
  }

  /** Whether `together` is one way from now on. @returns false where the connection was lost by trying */
  takesSeveral(): Promise<boolean> {
    return this.connection.takesSeveral?.() ?? Promise.resolve(true);
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

  /** Gives the connection up; what was open on it is rolled back. */
  destroy(): void {
    this.connection.destroy();
  }
}

/** Waits for all, also where one fails: who goes on while a statement is on its way would have it in another transaction. */
async function allOver<T extends readonly unknown[]>(begun: { [Place in keyof T]: Promise<T[Place]> }): Promise<T> {
  await Promise.allSettled(begun);
  return Promise.all(begun);
}

function insertSql({ table, columns }: InsertTarget, rows: number, overwriteSql: string): string {
  const places = Array.from({ length: rows }, () => `(${placeholdersFor(columns)})`).join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places} ${overwriteSql}`;
}

/** The rows of one statement after the other, in their order. A row that is too large for any goes alone. */
function statementRows<Row extends readonly unknown[]>(rows: readonly Row[]): Row[][] {
  const statements: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    const length = row.reduce<number>(
      (sum, value) => sum + EACH_VALUE + (typeof value === 'string' ? value.length : 0),
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

/** The places of bound values in a statement: `?, ?, ?`. */
export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/**
 * The values of an `IN (…)`, the last one repeated until there are 1, 2, 4, 8 … of them: a connection keeps each text of a statement
 * prepared, so there must be few.
 * @param values at least one
 */
export function padded<T>(values: readonly T[]): T[] {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: size - values.length }, () => values.at(-1) as T)];
}
