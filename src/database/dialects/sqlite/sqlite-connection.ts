import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { logger } from '../../../logging/logger.js';
import { deadline, DeadlineError } from '../../trouble.js';
import { StatementError, type DriverConnection } from '../dialect.js';
import type { Answered, Asked, AskedStatement, ThreadOrder, Warned } from './file-thread.js';
import { PreparedStatements } from './prepared-statements.js';

/** A source beside this source, compiled beside this compiled. */
const PROGRAM = new URL(`./file-thread${extname(import.meta.url)}`, import.meta.url);
/** Longer than it waits for another process's lock. */
const SILENT_MS = 5_500;
/** The code of what was lost with the thread. */
export const THREAD_ENDED = 'THREAD_ENDED';

/** The one handle of a file that a data source has opened. */
export function handleOf({ driver }: DataSource): Sqlite.Database {
  return (driver as unknown as { databaseConnection: Sqlite.Database }).databaseConnection;
}

/** One for each file that is open. */
const known = new WeakMap<Sqlite.Database, SqliteConnection>();

/** The one handle of a file, which TypeORM has opened: a statement is over when its call is. It is never given up. */
export class SqliteConnection implements DriverConnection {
  private readonly statements: PreparedStatements;

  private constructor(private readonly handle: Sqlite.Database) {
    this.statements = new PreparedStatements(handle);
  }

  /** The connection of an initialized data source; the same one each time. */
  static of(dataSource: DataSource): SqliteConnection {
    const handle = handleOf(dataSource);
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

interface Waiter {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * SQLite waits for the disk in the thread that calls it, and reads there what is large. Here that is a thread of its own, so that only those
 * who write, or read what is large, wait. Values are copied on their way there: of a Buffer all that it is a part of.
 */
export class ThreadedConnection implements DriverConnection {
  private readonly worker: Worker;
  /** The callers of statements that were sent or will be, in their order. */
  private readonly waiting: Waiter[] = [];
  private begun: AskedStatement[] = [];
  private revokeSilence = (): void => undefined;
  private state: 'open' | 'ending' | 'given up' | 'over' = 'open';
  private readonly over: Promise<void>;

  /** Starts the thread. @param silentMs after so long without an answer it is given up, and what waits fails with DeadlineError */
  constructor(
    private readonly order: ThreadOrder,
    private readonly silentMs = SILENT_MS,
  ) {
    this.worker = new Worker(PROGRAM, { workerData: order });
    this.worker.on('message', (told: Answered[] | Warned) => {
      if (Array.isArray(told)) this.take(told);
      // Under `node --watch` Node.js itself tells here which files the thread has loaded.
      else if ('warning' in told) logger.warn({ warning: told.warning, code: told.code }, told.message);
    });
    this.worker.on('error', (error: Error) => this.lose(error));
    this.over = new Promise((resolve) => this.worker.once('exit', resolve)).then(() => {
      this.lose(this.ended());
      this.state = 'over';
    });
    this.worker.unref();
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** Whether its thread is gone. One that was given up may still be in a statement, and hold the file. */
  get isOver(): boolean {
    return this.state === 'over';
  }

  run(sql: string, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (this.waiting.length === 1) this.await();
      this.begun.push({ sql, values });
      if (this.begun.length === 1) queueMicrotask(() => this.send());
    });
  }

  /** All that is begun at once goes together in any case. */
  together<T>(begin: () => T): T {
    return begin();
  }

  takesSeveral(): Promise<boolean> {
    return Promise.resolve(this.isOpen);
  }

  /** Rolls back what is open. The thread stays. */
  release(): void {
    this.send();
    this.tell('roll back');
  }

  destroy(): void {
    this.release();
  }

  /** Ends the thread, and closes its handle, when everything was answered. */
  async end(): Promise<void> {
    this.send();
    // Nobody knows when it goes on.
    if (this.state === 'given up') return;
    if (this.state === 'open') {
      this.state = 'ending';
      this.tell('end');
    }
    this.worker.ref();
    await this.over;
  }

  private send(): void {
    const run = this.begun;
    this.begun = [];
    if (run.length === 0) return;
    if (this.state !== 'open') return this.rejectAll(lost(this.ended()));
    try {
      this.tell({ run });
    } catch (error) {
      // A value that cannot be copied: nothing was sent.
      for (const { reject } of this.waiting.splice(-run.length)) reject(new StatementError(error as Error));
      this.await();
    }
  }

  private tell(asked: Asked): void {
    this.worker.postMessage(asked);
  }

  private take(answers: readonly Answered[]): void {
    for (const answer of answers) {
      const waiter = this.waiting.shift();
      if ('result' in answer) waiter?.resolve(withBuffers(answer.result));
      else waiter?.reject(failed(answer.failed));
    }
    this.await();
  }

  /** Only while it is waited for it keeps the process alive. */
  private await(): void {
    this.revokeSilence();
    if (this.waiting.length > 0) {
      this.worker.ref();
      this.revokeSilence = deadline(this.silentMs, () => this.giveUp());
    } else if (this.state === 'open') this.worker.unref();
  }

  /** A disk that hangs cannot be told to stop: the thread ends when it goes on. */
  private giveUp(): void {
    this.state = 'given up';
    this.worker.unref();
    void this.worker.terminate();
    this.rejectAll(new DeadlineError('The disk did not answer in time'));
  }

  private lose(error: Error): void {
    if (this.state === 'open') {
      logger.error({ stack: error.stack }, `the thread that ${this.order.does}s was lost`);
      this.state = 'ending';
    }
    this.rejectAll(lost(error));
  }

  private ended(): Error {
    return new Error(`The thread that ${this.order.does}s has ended`);
  }

  /** Nobody can tell which of the statements were run. */
  private rejectAll(error: Error): void {
    this.revokeSilence();
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}

function lost(error: Error & { code?: unknown }): StatementError {
  return failed({ message: error.message, code: error.code ?? THREAD_ENDED });
}

function failed({ message, code }: { message: string; code: unknown }): StatementError {
  return new StatementError(Object.assign(new Error(message), { code }));
}

/** Bytes come as plain arrays of them. */
function withBuffers(result: unknown): unknown {
  if (!Array.isArray(result)) return result;
  for (const row of result as Record<string, unknown>[]) {
    for (const [name, value] of Object.entries(row))
      if (ArrayBuffer.isView(value)) row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return result;
}
