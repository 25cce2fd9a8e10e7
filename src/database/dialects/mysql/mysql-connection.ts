import type { Writable } from 'node:stream';
import mysql, { type PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { within } from '../../connections/deadline.js';
import { StatementError, type SessionSide, type DriverConnection } from '../dialect.js';
import { numberOf } from '../error-code.js';
import { OUT_OF_ORDER } from './mysql-errors.js';

/** Emptying or counting a large table. */
const LONG_STATEMENT_MS = 30 * 60 * 1_000;
const HARMLESS = 'SELECT 1';
/** The driver looks it up in its files whenever it is asked for. */
const { BIGINT } = mysql.TypedParameter;
/** The server keeps no more prepared statements: all of its clients share one limit. */
const TOO_MANY_PREPARED = 1461;
/** The server does not know a prepared statement any more, or cannot prepare it anew by itself. */
const FORGOTTEN = new Set([1243, 1615]);

/** One for each connection of a pool, which hands them out again and again. */
const known = new WeakMap<PoolConnection, MysqlConnection>();

/** A connection of mysql2's pool, which TypeORM has opened. */
export class MysqlConnection implements DriverConnection {
  private sendsTogether = false;
  /** What has come out of its order: from then on nobody knows which answer belongs to which statement. */
  private disorder: Error | undefined;

  private constructor(
    private readonly connection: PoolConnection,
    private readonly side: SessionSide,
  ) {
    // The driver goes on all the same. A server says so that it has ended a connection, of which a frozen process learns too late.
    connection.once('warn', (warning: Error) => {
      this.disorder = Object.assign(warning, { code: OUT_OF_ORDER });
      this.destroy();
    });
  }

  /** @throws the driver's error, DeadlineError */
  static async acquire(dataSource: DataSource, side: SessionSide): Promise<MysqlConnection> {
    const connecting = dataSource.createQueryRunner().connect() as Promise<PoolConnection>;
    const giveBack = (): void => void connecting.then((late) => late.release()).catch(() => undefined);
    const connection = await within(TIME_BUDGETS_MS.pooledConnection, connecting, giveBack);
    const taken = known.get(connection) ?? new MysqlConnection(connection, side);
    known.set(connection, taken);
    return taken;
  }

  /** A statement may hang for ever, so each gets a deadline. */
  run(sql: string, values: readonly unknown[]): Promise<unknown> {
    const deadlineMs = this.side === 'copier' ? LONG_STATEMENT_MS : TIME_BUDGETS_MS.statement;
    return within(deadlineMs, this.answer(sql, values), () => this.destroy());
  }

  /**
   * A copier has many texts, a service few that come often: these are kept prepared. Without values there is nothing to bind, and servers
   * prepare only some of such statements (not START TRANSACTION).
   */
  private async answer(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (this.side === 'copier' || values.length === 0) return this.runAsText(sql, values);
    try {
      return await this.runPrepared(sql, values);
    } catch (error) {
      const number = numberOf(error) ?? 0;
      if (number === TOO_MANY_PREPARED) return this.runAsText(sql, values);
      if (FORGOTTEN.has(number)) this.connection.unprepare(sql);
      throw error;
    }
  }

  private runPrepared(sql: string, values: readonly unknown[]): Promise<unknown> {
    const bound = values.map((value) => (typeof value === 'bigint' ? BIGINT(value) : value));
    return new Promise((resolve, reject) => {
      this.connection.execute(sql, bound as never[], this.settle(sql, resolve, reject));
    });
  }

  private runAsText(sql: string, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.connection.query(sql, [...values], this.settle(sql, resolve, reject));
    });
  }

  together<T>(begin: () => T): T {
    return this.sendsTogether ? sendTogether(this.connection, begin) : begin();
  }

  /** Every server does. A proxy before it may cut off who does not wait for an answer, or lose what comes too early. */
  async canPipeline(): Promise<boolean> {
    this.sendsTogether = true;
    const answers = Promise.all(this.together(() => [this.runAsText(HARMLESS, []), this.runAsText(HARMLESS, [])]));
    try {
      await within(TIME_BUDGETS_MS.pooledConnection, answers, () => this.destroy());
      return true;
    } catch {
      return false;
    }
  }

  get isOpen(): boolean {
    return this.connection.state === 'authenticated';
  }

  release(): void {
    this.connection.release();
  }

  destroy(): void {
    this.connection.destroy();
  }

  private settle(sql: string, resolve: (result: unknown) => void, reject: (reason: Error) => void) {
    return (error: Error | null, result: unknown): void => {
      const failure = this.disorder ?? error;
      // Of one that was sent as text the driver keeps the values as well: words of theirs are no tables, and nobody else's business.
      if (failure) reject(new StatementError(Object.assign(failure, { sql })));
      else resolve(result);
    };
  }
}

/*
 * The driver sends a statement when the one before is answered. A server reads what comes and answers in that order, so several may be sent at
 * once: they cost one way there and back. The driver has no name for that, but its commands are objects that write and read by themselves.
 */

/** A command of the driver: called without a packet it writes its own, then it takes those of its answer. @returns whether it is over */
interface Command {
  execute(packet: unknown, connection: CommandQueue): boolean;
  onResult?(error: Error): void;
  /** Of one that runs a prepared statement; undefined until the command before it has prepared that. */
  statement?: unknown;
}

/** A connection of the driver. */
interface CommandQueue {
  addCommand: (this: CommandQueue, command: Command) => Command;
  /** What the next packet is to be numbered. */
  sequenceId: number;
  stream: Pick<Writable, 'cork' | 'uncork'>;
}

/** An answer begins with this number, as what it answers was the packet before it. */
const FIRST_OF_ANSWER = 1;

/**
 * Sends all commands at once that `begin` has the connection queue.
 * @param connection of mysql2
 */
export function sendTogether<T>(connection: object, begin: () => T): T {
  const queue = connection as CommandQueue;
  // A connection that was closed has another one, which fails what is queued.
  const { addCommand } = queue;
  const commands: Command[] = [];
  queue.addCommand = (command) => {
    commands.push(command);
    return command;
  };
  try {
    return begin();
  } finally {
    queue.addCommand = addCommand;
    if (commands.length > 0) queue.addCommand(new Pipeline(commands));
  }
}

/** Several commands, as one for the driver. */
class Pipeline implements Command {
  /** Those that wait for their answers, in this order. */
  private readonly sent: Command[] = [];

  constructor(private readonly unsent: Command[]) {}

  execute(packet: unknown, connection: CommandQueue): boolean {
    if (packet !== undefined && this.sent[0]?.execute(packet, connection) === true) {
      this.sent.shift();
      connection.sequenceId = FIRST_OF_ANSWER;
    }
    this.send(connection);
    return this.sent.length === 0;
  }

  /** The connection is lost: nobody gets an answer any more. */
  onResult(error: Error): void {
    for (const command of [...this.sent.splice(0), ...this.unsent.splice(0)]) command.onResult?.(error);
  }

  private send(connection: CommandQueue): void {
    connection.stream.cork();
    for (let next = this.unsent[0]; next !== undefined && !this.hasToWait(next); next = this.unsent[0]) {
      this.unsent.shift();
      if (!next.execute(undefined, connection)) this.sent.push(next);
    }
    connection.stream.uncork();
  }

  /** Its statement is being prepared, which is so once for each text and connection. */
  private hasToWait(next: Command): boolean {
    return this.sent.length > 0 && 'statement' in next && next.statement === undefined;
  }
}
