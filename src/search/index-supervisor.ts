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
/** Limits restarts if a disk damages each new index or a thread keeps crashing. */
const RESTART_PAUSE_MS = 60_000;

interface Threads {
  writer: IndexThread<WriterRequest>;
  readers: readonly IndexThread<ReaderRequest>[];
  /** Readers without a pending request. */
  free: IndexThread<ReaderRequest>[];
  /** Whether the writer has answered: it has created the file or found it intact. */
  isFileReady: boolean;
}

/**
 * Runs the threads of the index: one writes its file, two read it. It starts them on first use and restarts them if one ends or finds the file
 * damaged. If the file cannot be used, only the search is off.
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
   * @param path of the file; undefined if the search is off
   * @param version of the index's contents; a file of another version is rebuilt
   */
  constructor(
    private readonly path: string | undefined,
    private readonly version: string,
  ) {
    this.isDisabled = path === undefined;
  }

  /** Whether the search is configured and its index usable. */
  get isOn(): boolean {
    return !this.isDisabled;
  }

  /** Asks the writer. The index can be read after its first answer. @returns undefined if no thread is running, or the index failed */
  async write<Result>(asked: WriterRequest): Promise<Result | undefined> {
    const threads = this.running();
    if (threads === undefined) return undefined;
    const result = await this.unlessFailed(threads, threads.writer.ask<Result>(asked));
    threads.isFileReady ||= result !== undefined;
    return result;
  }

  /** Reports that all pending writes are done. */
  noteWritten(): void {
    this.writeIncident.resolve();
  }

  /** Asks a free reader. @returns undefined if none is running, or the index failed @throws ApiError 503 if the client has disconnected */
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
    // Another thread has reported it already.
    if (this.threads !== threads) return;
    if (isTransient(error)) return this.writeIncident.report(error.code as string);
    this.threads = undefined;
    // Starts no threads on this file meanwhile.
    this.pausedUntilMs = Infinity;
    await end(threads);
    // At once, or after a pause if the last restart was recent.
    this.pausedUntilMs = this.restartedMs + RESTART_PAUSE_MS;
    this.restartedMs = Math.max(performance.now(), this.pausedUntilMs);
    if (isDamage(error)) this.setAside(error);
    else if (error.code === THREAD_ENDED) warn(error, 'a thread of the search index has ended: restarting it');
    else this.disable(error);
  }

  /** Renames the file instead of deleting it, because the path may be a mistake. */
  private setAside(error: IndexError): void {
    const path = this.path as string;
    warn(error, 'the search index is damaged: rebuilding it');
    try {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(path, `${path}.damaged`);
    } catch (failed) {
      this.disable(failed as Error);
    }
  }

  private disable(error: Error): void {
    this.isDisabled = true;
    warn(error, 'the search is off: its index cannot be used');
  }

  private running(): Threads | undefined {
    if (this.threads !== undefined || this.isDisabled || performance.now() < this.pausedUntilMs) return this.threads;
    const threadData = { path: this.path as string, version: this.version };
    const readers = Array.from({ length: READERS }, () => new IndexThread<ReaderRequest>('index-reader', threadData));
    this.threads = {
      writer: new IndexThread('index-writer', threadData),
      readers,
      free: [...readers],
      isFileReady: false,
    };
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

/** The writer ends last: it checkpoints the WAL. */
async function end({ writer, readers }: Threads): Promise<void> {
  await Promise.all(readers.map((reader) => reader.end()));
  await writer.end();
}

/** SQLite takes a file of 0 bytes for an empty database; an index of any version has the table `state`. */
function isDamage(error: IndexError): boolean {
  return isUnreadable(error) || error.message === 'no such table: state';
}
