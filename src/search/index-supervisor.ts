import { renameSync, rmSync } from 'node:fs';
import { Semaphore, type Requester } from '../platform/concurrency/semaphore.js';
import { codeOf, isTransient, isUnreadable } from '../database/dialects/error-code.js';
import type { AtPosition, ReaderRequest } from '../database/search/index-answers.js';
import type { IndexError } from '../database/search/index-error.js';
import { IndexThread, THREAD_ENDED } from '../database/search/index-thread.js';
import type { WriterRequest } from '../database/search/index-writer.js';
import { Incident } from '../database/connections/incident.js';
import { logger } from '../platform/logging/logger.js';

const READERS = 2;
/** A disk that damages each new index, or a thread that ends again and again, shall not keep the registry busy. */
const RESTART_PAUSE_MS = 60_000;

interface Threads {
  writer: IndexThread<WriterRequest>;
  readers: readonly IndexThread<ReaderRequest>[];
  /** Those that nobody has asked now. */
  free: IndexThread<ReaderRequest>[];
  /** Whether the writer has answered: it has made the file, or has found it in order. */
  isFileReady: boolean;
}

/**
 * Keeps the threads that have the index: one writes its file, two read it. They are started when they are first needed, and again when one ends
 * or finds the file damaged. Where the file cannot be used, the registry has no search, and everything else works.
 */
export class IndexSupervisor {
  private threads: Threads | undefined;
  private readonly reading = new Semaphore(READERS);
  private restartedMs = -Infinity;
  private pausedUntilMs = -Infinity;
  private isDisabled: boolean;
  private readonly writeIncident = new Incident(
    'the search index cannot be written for now',
    'the search index is written again',
  );

  /**
   * @param path of the file; undefined: search is off
   * @param version of the index's contents; a file of another version is rebuilt
   */
  constructor(
    private readonly path: string | undefined,
    private readonly version: string,
  ) {
    this.isDisabled = path === undefined;
  }

  /** Whether there is a search: it is configured, and its index can be used. */
  get isOn(): boolean {
    return !this.isDisabled;
  }

  /** Asks the thread that writes. From its first answer on the index can be read. @returns undefined where there is none for now, or the index failed */
  async write<Result>(asked: WriterRequest): Promise<Result | undefined> {
    const threads = this.running();
    if (threads === undefined) return undefined;
    const result = await this.unlessFailed(threads, threads.writer.ask<Result>(asked));
    threads.isFileReady ||= result !== undefined;
    return result;
  }

  /** All that was to be written was. */
  noteWritten(): void {
    this.writeIncident.over();
  }

  /** Asks a thread that is free. @returns undefined where there is none, or the index failed @throws ApiError 503 where the client has gone */
  read<Value>(asked: ReaderRequest, requester?: Requester): Promise<AtPosition<Value> | undefined> {
    return this.reading.run(async () => {
      const { threads } = this;
      const reader = threads?.isFileReady ? threads.free.pop() : undefined;
      if (threads === undefined || reader === undefined) return undefined;
      const answer = await this.unlessFailed(threads, reader.ask<AtPosition<Value>>(asked));
      threads.free.push(reader);
      return answer;
    }, requester);
  }

  private async unlessFailed<Answer>(threads: Threads, answer: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await answer;
    } catch (error) {
      await this.recover(error as IndexError, threads);
      return undefined;
    }
  }

  private async recover(error: IndexError, threads: Threads): Promise<void> {
    // Another thread has met it before.
    if (this.threads !== threads) return;
    if (isTransient(error)) return this.writeIncident.seen(error.code as string);
    this.threads = undefined;
    // None is started on the same file meanwhile.
    this.pausedUntilMs = Infinity;
    await end(threads);
    // At once, or after a pause where that was done a moment ago.
    this.pausedUntilMs = this.restartedMs + RESTART_PAUSE_MS;
    this.restartedMs = Math.max(performance.now(), this.pausedUntilMs);
    if (isDamage(error)) this.setAside(error);
    else if (error.code === THREAD_ENDED) warn(error, 'a thread of the search index has ended: it is started again');
    else this.disable(error);
  }

  /** What cannot be read makes room for another one; it is kept, as the path may have been a mistake. */
  private setAside(error: IndexError): void {
    const path = this.path as string;
    warn(error, 'the search index is damaged: it is built anew');
    try {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(path, `${path}.damaged`);
    } catch (failed) {
      this.disable(failed as Error);
    }
  }

  private disable(error: Error): void {
    this.isDisabled = true;
    warn(error, 'there is no search: its index cannot be used');
  }

  private running(): Threads | undefined {
    if (this.threads !== undefined || this.isDisabled || performance.now() < this.pausedUntilMs) return this.threads;
    const order = { path: this.path as string, version: this.version };
    const readers = Array.from({ length: READERS }, () => new IndexThread<ReaderAsked>('index-reader', order));
    this.threads = { writer: new IndexThread('index-writer', order), readers, free: [...readers], isFileReady: false };
    return this.threads;
  }

  async close(): Promise<void> {
    const { threads } = this;
    this.threads = undefined;
    this.isDisabled = true;
    if (threads !== undefined) await end(threads);
  }
}

function warn(error: Error, message: string): void {
  logger.warn({ reason: codeOf(error) ?? error.message }, message);
}

/** The writer is the last one: it brings the log into the file. */
async function end({ writer, readers }: Threads): Promise<void> {
  await Promise.all(readers.map((reader) => reader.end()));
  await writer.end();
}

/** A file that was cut to nothing is an empty database. Of another version of the registry there would be this table, too. */
function isDamage(error: IndexError): boolean {
  return isUnreadable(error) || error.message === 'no such table: state';
}
