import { extname } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type DriverConnection, StatementError } from '../dialect.js';
import type { Answered, Asked, AskedStatement, ThreadOrder } from './writing-thread.js';

/** A source beside this source, compiled beside this compiled. */
const PROGRAM = new URL(`./writing-thread${extname(import.meta.url)}`, import.meta.url);

interface Waiter {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** SQLite waits for the disk in the thread that calls it. Here that is a thread of its own, so nobody else waits. */
export class ThreadedConnection implements DriverConnection {
  private readonly worker: Worker;
  /** Of the statements that were sent or will be, in their order. */
  private readonly waiting: Waiter[] = [];
  private begun: AskedStatement[] = [];
  private hasEnded = false;

  constructor(order: ThreadOrder) {
    this.worker = new Worker(PROGRAM, { workerData: order });
    this.worker.on('message', (answers: Answered[]) => this.take(answers));
    this.worker.on('error', (error: Error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('The thread that writes has ended')));
    this.worker.unref();
  }

  get isOpen(): boolean {
    return !this.hasEnded;
  }

  run(sql: string, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Only while it is waited for it keeps the process alive.
      if (this.waiting.length === 0) this.worker.ref();
      this.waiting.push({ resolve, reject });
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

  release(): void {}

  destroy(): void {
    this.send();
    this.tell('roll back');
  }

  /** Ends the thread, and closes its handle, when everything was answered. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.send();
    this.tell('end');
    await once(this.worker, 'exit');
  }

  private send(): void {
    const run = this.begun;
    this.begun = [];
    if (this.hasEnded) this.fail(new Error('The thread that writes has ended'));
    else if (run.length > 0) this.tell({ run });
  }

  private tell(asked: Asked): void {
    this.worker.postMessage(asked);
  }

  private take(answers: readonly Answered[]): void {
    for (const answer of answers) {
      const waiter = this.waiting.shift();
      if ('result' in answer) waiter?.resolve(withBuffers(answer.result));
      else waiter?.reject(failureOf(answer.failed));
    }
    if (this.waiting.length === 0) this.worker.unref();
  }

  /** Nobody can tell which of its statements were run. */
  private fail({ message }: Error): void {
    this.hasEnded = true;
    for (const { reject } of this.waiting.splice(0)) reject(failureOf({ message, code: 'SQLITE_IOERR' }));
  }
}

function failureOf({ message, code }: { message: string; code: unknown }): StatementError {
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
