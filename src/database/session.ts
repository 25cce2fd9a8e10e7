import type { DataSource, QueryRunner } from 'typeorm';
import { within } from './deadline.js';
import type { DatabaseSide, Dialect } from './dialects/dialect.js';

/** Longer than the server's own limit of a statement, so that it speaks only when the server does not. */
const STATEMENT_MS = 5_500;
/** Emptying or counting a large table. */
const LONG_STATEMENT_MS = 30 * 60 * 1_000;
const CONNECT_MS = 3_000;

interface DriverConnection {
  destroy?(): void;
}

interface WriteResult {
  affectedRows?: number;
  insertId?: number | string;
}

/** Connections that `prepare` has seen: pools hand them out again and again. */
const prepared = new WeakSet<DriverConnection>();

/** One connection for one piece of work; given back by release, or destroyed when it cannot be trusted any more. */
export class Session {
  private constructor(
    private readonly runner: QueryRunner,
    private readonly connection: DriverConnection,
    private readonly dialect: Dialect,
    private readonly statementMs: number,
  ) {}

  /** @throws the driver's error, DeadlineError, or DatabaseUnusableError when the server's settings are unsafe */
  static async open(dataSource: DataSource, dialect: Dialect, side: DatabaseSide): Promise<Session> {
    const runner = dataSource.createQueryRunner();
    const connecting = runner.connect() as Promise<DriverConnection>;
    const giveBack = (): void => void connecting.then(() => runner.release()).catch(() => undefined);
    const connection = dialect.overNetwork ? await within(CONNECT_MS, connecting, giveBack) : await connecting;
    const session = new Session(runner, connection, dialect, side === 'copier' ? LONG_STATEMENT_MS : STATEMENT_MS);
    if (!prepared.has(connection)) {
      try {
        await dialect.prepare(session, side);
      } catch (error) {
        session.destroy();
        throw error;
      }
      prepared.add(connection);
    }
    return session;
  }

  /** Runs a SELECT, or a statement that returns rows. Only bound values may vary, never the SQL. */
  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.run(sql, parameters)) as Row[];
  }

  /** Runs a statement that returns no rows. */
  async execute(sql: string, parameters: unknown[] = []): Promise<WriteResult> {
    return (await this.run(sql, parameters)) ?? {};
  }

  private async run(sql: string, parameters: unknown[]): Promise<unknown> {
    const answer: Promise<unknown> = this.runner.query(sql, parameters);
    return this.dialect.overNetwork ? within(this.statementMs, answer, () => this.destroy()) : answer;
  }

  async release(): Promise<void> {
    await this.runner.release();
  }

  /** Gives the connection up; the server rolls back what was open on it. SQLite's one connection stays. */
  destroy(): void {
    if (!this.dialect.overNetwork) return;
    this.connection.destroy?.();
    void this.runner.release();
  }
}
