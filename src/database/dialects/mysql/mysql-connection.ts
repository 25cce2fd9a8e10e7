import type { Writable } from 'node:stream';
import mysql, { type PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { within } from '../../connections/deadline.js';
import { StatementError, type SessionSide, type DriverConnection } from '../dialect.js';
import { numberOf } from '../error-code.js';
import { PACKETS_OUT_OF_ORDER } from './mysql-errors.js';

/** Enough to empty or count a large table. */
const LONG_STATEMENT_MS = 30 * 60 * 1_000;
const PING_SQL = 'SELECT 1';
// Once, because each access makes the driver look the type up in its files.
const { BIGINT } = mysql.TypedParameter;
/** The server's limit of prepared statements, which all clients share, is reached. */
const TOO_MANY_PREPARED = 1461;
/** The server has dropped a prepared statement, or cannot prepare it again by itself. */
const DROPPED_PREPARED = new Set([1243, 1615]);

/** One wrapper for each pooled connection. */
const wrappers = new WeakMap<PoolConnection, MysqlConnection>();

/** A connection of TypeORM's mysql2 pool. */
export class MysqlConnection implements DriverConnection {
  private isPipelining = false;
  /** Set after a packet with an unexpected sequence number: from then on answers cannot be matched to statements. */
  private protocolError: Error | undefined;

  private constructor(
    private readonly connection: PoolConnection,
    private readonly side: SessionSide,
  ) {
    // The driver only warns and continues. Such a packet comes when the server has ended the connection while this process was frozen.
    connection.once('warn', (warning: Error) => {
      this.protocolError = Object.assign(warning, { code: PACKETS_OUT_OF_ORDER });
      this.destroy();
    });
  }

  /** @throws the driver's error, DeadlineError */
  static async acquire(dataSource: DataSource, side: SessionSide): Promise<MysqlConnection> {
    const connecting = dataSource.createQueryRunner().connect() as Promise<PoolConnection>;
    const releaseLate = (): void => void connecting.then((late) => late.release()).catch(() => undefined);
    const connection = await within(TIME_BUDGETS_MS.pooledConnection, connecting, releaseLate);
    const wrapper = wrappers.get(connection) ?? new MysqlConnection(connection, side);
    wrappers.set(connection, wrapper);
    return wrapper;
  }

  /** With a deadline, because a statement may hang forever. */
  run(sql: string, values: readonly unknown[]): Promise<unknown> {
    const deadlineMs = this.side === 'copier' ? LONG_STATEMENT_MS : TIME_BUDGETS_MS.statement;
    return within(deadlineMs, this.runPreparedOrText(sql, values), () => this.destroy());
  }

  /**
   * Prepares statements of a service, which has few texts; a copier has many. Statements without values are sent as text, because servers
   * cannot prepare all of them (not START TRANSACTION).
   */
  private async runPreparedOrText(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (this.side === 'copier' || values.length === 0) return this.runAsText(sql, values);
    try {
      return await this.runPrepared(sql, values);
    } catch (error) {
      const number = numberOf(error) ?? 0;
      if (number === TOO_MANY_PREPARED) return this.runAsText(sql, values);
      if (DROPPED_PREPARED.has(number)) this.connection.unprepare(sql);
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
    return this.isPipelining ? pipeline(this.connection, begin) : begin();
  }

  /** Servers always support pipelining, but a proxy may close the connection or drop statements that arrive before an answer. */
  async canPipeline(): Promise<boolean> {
    this.isPipelining = true;
    const answers = Promise.all(this.together(() => [this.runAsText(PING_SQL, []), this.runAsText(PING_SQL, [])]));
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
      const failure = this.protocolError ?? error;
      // Replaces the text in which the driver has filled in the values: they must not reach the log.
      if (failure) reject(new StatementError(Object.assign(failure, { sql })));
      else resolve(result);
    };
  }
}

/*
 * Pipelining, which the driver does not support: it sends a statement only once the previous one is answered, although a server answers in
 * order whatever it receives. Its command objects write and read packets themselves, so one composite command can send several in one round
 * trip.
 */

/** The driver's command: `execute` without a packet sends it, then is called with each packet of the answer. @returns whether it is complete */
interface Command {
  execute(packet: unknown, connection: CommandQueue): boolean;
  onResult?(error: Error): void;
  /** Only in a command that runs a prepared statement; undefined until an earlier command has prepared it. */
  statement?: unknown;
}

/** The driver's connection. */
interface CommandQueue {
  addCommand: (this: CommandQueue, command: Command) => Command;
  /** Number of the next packet. */
  sequenceId: number;
  stream: Pick<Writable, 'cork' | 'uncork'>;
}

/** The first packet of an answer, because the statement was packet 0. */
const FIRST_ANSWER_PACKET = 1;

/** Sends all commands that `begin` queues at once. @param connection of mysql2 */
export function pipeline<T>(connection: object, begin: () => T): T {
  const queue = connection as CommandQueue;
  // A closed connection has a different `addCommand`, which fails the command.
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

/** Several commands as one of the driver's. */
class Pipeline implements Command {
  /** Waiting for their answers, in order. */
  private readonly sent: Command[] = [];

  constructor(private readonly unsent: Command[]) {}

  execute(packet: unknown, connection: CommandQueue): boolean {
    if (packet !== undefined && this.sent[0]?.execute(packet, connection) === true) {
      this.sent.shift();
      connection.sequenceId = FIRST_ANSWER_PACKET;
    }
    this.send(connection);
    return this.sent.length === 0;
  }

  /** The connection is lost: fails all commands. */
  onResult(error: Error): void {
    for (const command of [...this.sent.splice(0), ...this.unsent.splice(0)]) command.onResult?.(error);
  }

  private send(connection: CommandQueue): void {
    connection.stream.cork();
    for (let next = this.unsent[0]; next !== undefined && !this.isBeingPrepared(next); next = this.unsent[0]) {
      this.unsent.shift();
      if (!next.execute(undefined, connection)) this.sent.push(next);
    }
    connection.stream.uncork();
  }

  /** Whether its statement is still being prepared, as happens once for each text and connection. */
  private isBeingPrepared(next: Command): boolean {
    return this.sent.length > 0 && 'statement' in next && next.statement === undefined;
  }
}
