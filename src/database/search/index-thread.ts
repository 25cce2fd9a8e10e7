import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import { deadline } from '../connections/deadline.js';
import { IndexError } from './index-error.js';
import type { ThreadAnswer } from './thread-port.js';

/** Error code for a thread that has crashed or does not answer. */
export const THREAD_ENDED = 'THREAD_ENDED';

export interface IndexThreadData {
  path: string;
  /** Version of the stored data; a file of another version is emptied. */
  version: string;
}

/** The time-out of each program's answers. */
const BUDGETS = { 'index-reader': 'searchQuery', 'index-writer': 'searchWrite' } as const;

/** A thread with a connection to the index's file; answers requests one at a time, in order. */
export class IndexThread<Request> {
  private readonly worker: Worker;
  private readonly queue = new Semaphore(1);
  /** Aborted when the thread has ended or was abandoned. */
  private readonly ended = new AbortController();

  constructor(
    private readonly program: keyof typeof BUDGETS,
    order: IndexThreadData,
  ) {
    // The TypeScript source if this file is one, otherwise the compiled program.
    const url = new URL(`./${program}${extname(import.meta.url)}`, import.meta.url);
    this.worker = new Worker(url, { workerData: order });
    this.worker.unref();
    this.worker.on('error', (error: Error) => this.ended.abort(error));
    this.worker.on('exit', () => this.ended.abort(new Error('The thread has ended')));
  }

  /** @throws IndexError */
  ask<Result>(request: Request): Promise<Result> {
    return this.queue.run(async () => {
      const answer = await this.exchange(request);
      if ('failed' in answer) throw new IndexError(answer.failed.message, answer.failed.code);
      return answer.result as Result;
    });
  }

  private async exchange(request: Request): Promise<ThreadAnswer> {
    const { signal } = this.ended;
    const silent = new Error('The thread does not answer');
    const revoke = deadline(TIME_BUDGETS_MS[BUDGETS[this.program]], () => this.ended.abort(silent));
    try {
      this.worker.postMessage(request);
      const [answer] = (await once(this.worker, 'message', { signal })) as [ThreadAnswer];
      return answer;
    } catch {
      void this.worker.terminate();
      throw new IndexError((signal.reason as Error).message, THREAD_ENDED);
    } finally {
      revoke();
    }
  }

  /** Ends the thread after pending requests; does not wait for one that was abandoned. */
  async end(): Promise<void> {
    await this.queue.run(() => (this.ended.signal.aborted ? undefined : this.worker.terminate()));
  }
}
