import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import { deadline } from '../connections/deadline.js';
import { IndexError } from './index-error.js';
import type { Answered } from './thread-port.js';

/** Code of the error that is told where a thread ends by itself, or does not answer. */
export const THREAD_ENDED = 'THREAD_ENDED';

/** What both programs are started with. */
export interface IndexOrder {
  path: string;
  /** Version of what is kept; a file of another one is emptied. */
  version: string;
}

/** How long each program may take for an answer. */
const BUDGETS = { 'index-reader': 'searchQuery', 'index-writer': 'searchWrite' } as const;

/** A thread with a connection to the index's file. It answers what it is asked in that order. */
export class IndexThread<Asked> {
  private readonly worker: Worker;
  private readonly asking = new Semaphore(1);
  /** Aborted when it has ended, or is given up. */
  private readonly over = new AbortController();

  constructor(
    private readonly program: keyof typeof BUDGETS,
    order: IndexOrder,
  ) {
    // A source beside this source, compiled beside this compiled.
    const url = new URL(`./${program}${extname(import.meta.url)}`, import.meta.url);
    this.worker = new Worker(url, { workerData: order });
    this.worker.unref();
    this.worker.on('error', (error: Error) => this.over.abort(error));
    this.worker.on('exit', () => this.over.abort(new Error('The thread has ended')));
  }

  /** @throws IndexError */
  ask<Result>(asked: Asked): Promise<Result> {
    return this.asking.run(async () => {
      const answered = await this.answerTo(asked);
      if ('failed' in answered) throw new IndexError(answered.failed.message, answered.failed.code);
      return answered.result as Result;
    });
  }

  private async answerTo(asked: Asked): Promise<Answered> {
    const { signal } = this.over;
    const silent = new Error('The thread does not answer');
    const revoke = deadline(TIME_BUDGETS_MS[BUDGETS[this.program]], () => this.over.abort(silent));
    try {
      this.worker.postMessage(asked);
      const [answered] = (await once(this.worker, 'message', { signal })) as [Answered];
      return answered;
    } catch {
      void this.worker.terminate();
      throw new IndexError((signal.reason as Error).message, THREAD_ENDED);
    } finally {
      revoke();
    }
  }

  /** Closes the file after what it was asked before. A thread that does not answer is not waited for. */
  async end(): Promise<void> {
    await this.asking.run(() => (this.over.signal.aborted ? undefined : this.worker.terminate()));
  }
}
