import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { IndexError } from './index-error.js';
import { type Answered, END, type Numbered } from './thread-port.js';

/** Code of the error that is told where a thread ends by itself. */
export const THREAD_ENDED = 'THREAD_ENDED';

interface Waiter {
  resolve: (result: unknown) => void;
  reject: (error: IndexError) => void;
}

/** What both programs are started with. */
export interface IndexOrder {
  path: string;
  /** Version of what is kept; a file of another one is emptied. */
  version: string;
}

/** A thread with a connection to the index's file. It answers what it is asked in that order. */
export class IndexThread<Asked> {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiter>();
  private asked = 0;
  private hasEnded = false;

  constructor(program: 'index-reader' | 'index-writer', order: IndexOrder) {
    // A source beside this source, compiled beside this compiled.
    this.worker = new Worker(new URL(`./${program}${extname(import.meta.url)}`, import.meta.url), {
      workerData: order,
    });
    this.worker.unref();
    this.worker.on('message', (answered: Answered) => this.take(answered));
    this.worker.on('error', (error: Error) => this.fail(error.message));
    this.worker.on('exit', () => this.fail('The thread has ended'));
  }

  /** @throws IndexError */
  ask<Result>(asked: Asked): Promise<Result> {
    if (this.hasEnded) return Promise.reject(ended('The thread has ended'));
    return new Promise<Result>((resolve, reject) => {
      const number = this.asked++;
      this.waiting.set(number, { resolve: resolve as Waiter['resolve'], reject });
      this.worker.postMessage({ number, asked } satisfies Numbered<Asked>);
    });
  }

  /** Closes the file after what it was asked before. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    const exit = once(this.worker, 'exit');
    this.worker.ref();
    this.worker.postMessage({ number: this.asked++, asked: END } satisfies Numbered<typeof END>);
    await exit;
  }

  private take(answered: Answered): void {
    const waiter = this.waiting.get(answered.number);
    this.waiting.delete(answered.number);
    if ('result' in answered) waiter?.resolve(answered.result);
    else waiter?.reject(new IndexError(Object.assign(new Error(answered.failed.message), answered.failed)));
  }

  private fail(why: string): void {
    this.hasEnded = true;
    for (const { reject } of this.waiting.values()) reject(ended(why));
    this.waiting.clear();
  }
}

function ended(why: string): IndexError {
  return new IndexError(Object.assign(new Error(why), { code: THREAD_ENDED }));
}
