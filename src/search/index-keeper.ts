import { renameSync, rmSync } from 'node:fs';
import { Semaphore, type Requester } from '../concurrency/semaphore.js';
import { isPassing, isUnreadable } from '../database/dialects/error-code.js';
import type { OfMoment, ReaderAsked } from '../database/search/index-answers.js';
import { IndexError } from '../database/search/index-error.js';
import { IndexThread, THREAD_ENDED } from '../database/search/index-thread.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import type { WriterAsked } from '../database/search/index-writer.js';
import { Trouble } from '../database/trouble.js';
import { logger } from '../logging/logger.js';

const READERS = 2;
/** A disk that damages each new index, or a thread that ends again and again, shall not keep the registry busy. */
const RESTART_PAUSE_MS = 60_000;

export type IndexWriter = IndexThread<WriterAsked>;

interface Threads {
  writer: IndexWriter;
  readers: readonly IndexThread<ReaderAsked>[];
  /** Those that nobody has asked now. */
  free: IndexThread<ReaderAsked>[];
  /** Whether the writer has made the file, or has found it in order. */
  isMade: boolean;
}

/**
 * Keeps the threads that have the index: one writes its file, two read it. They are started when they are first needed, and again when one ends
 * or finds the file damaged. Where the file cannot be used, the registry has no search, and everything else works.
 */
export class IndexKeeper {
  private threads: Threads | undefined;
  private readonly reading = new Semaphore(READERS);
  private restartedMs = -Infinity;
  private restsUntilMs = -Infinity;
  private isGivenUp: boolean;
  private readonly trouble = new Trouble(
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
    this.isGivenUp = path === undefined;
  }

  /** Whether there is a search: it is configured, and its index can be used. */
  get isOn(): boolean {
    return !this.isGivenUp;
  }

  /** @returns undefined where there is none, or none for now */
  writer(): IndexWriter | undefined {
    return this.running()?.writer;
  }

  /** Where the index is. From then on it can be read. @throws IndexError */
  async position(writer: IndexWriter): Promise<IndexPosition> {
    const position = await writer.ask<IndexPosition>('position');
    if (this.threads?.writer === writer) this.threads.isMade = true;
    return position;
  }

  /** Asks a thread that is free. @returns undefined where there is none, or the index failed @throws ApiError 503 where the client has gone */
  read<Value>(asked: ReaderAsked, requester?: Requester): Promise<OfMoment<Value> | undefined> {
    return this.reading.run(async () => {
      const { threads } = this;
      const reader = threads?.isMade ? threads.free.pop() : undefined;
      if (threads === undefined || reader === undefined) return undefined;
      try {
        return await reader.ask<OfMoment<Value>>(asked);
      } catch (error) {
        await this.recover(error, threads.writer);
        return undefined;
      } finally {
        threads.free.push(reader);
      }
    }, requester);
  }

  /** All that was to be written was. */
  wasWritten(): void {
    this.trouble.over();
  }

  /** Handles an error of the index. @param writer of the threads that met it @throws any other error */
  async recover(error: unknown, writer: IndexWriter): Promise<void> {
    if (!(error instanceof IndexError)) throw error;
    const { threads } = this;
    // Another thread has met it before.
    if (threads?.writer !== writer) return;
    if (isPassing(error)) return this.trouble.seen(error.code as string);
    this.threads = undefined;
    // None is started on the same file meanwhile.
    this.restsUntilMs = Infinity;
    await end(threads);
    if (isDamage(error)) this.setAside(error);
    else if (error.code === THREAD_ENDED)
      this.restart(error, 'a thread of the search index has ended: it is started again');
    else this.giveUp(error);
  }

  /** What cannot be read makes room for another one; it is kept, as the path may have been a mistake. */
  private setAside(error: IndexError): void {
    const path = this.path as string;
    this.restart(error, 'the search index is damaged: it is built anew');
    try {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(path, `${path}.damaged`);
    } catch (failed) {
      this.giveUp(new IndexError(failed));
    }
  }

  /** At once, or after a pause where that was done a moment ago. */
  private restart(error: IndexError, message: string): void {
    this.restsUntilMs = this.restartedMs + RESTART_PAUSE_MS;
    this.restartedMs = Math.max(performance.now(), this.restsUntilMs);
    logger.warn({ reason: error.code ?? error.message }, message);
  }

  private giveUp(error: IndexError): void {
    this.isGivenUp = true;
    logger.warn({ reason: error.code ?? error.message }, 'there is no search: its index cannot be used');
  }

  private running(): Threads | undefined {
    if (this.threads !== undefined || this.isGivenUp || performance.now() < this.restsUntilMs) return this.threads;
    const order = { path: this.path as string, version: this.version };
    const readers = Array.from({ length: READERS }, () => new IndexThread<ReaderAsked>('index-reader', order));
    this.threads = { writer: new IndexThread('index-writer', order), readers, free: [...readers], isMade: false };
    return this.threads;
  }

  async close(): Promise<void> {
    const { threads } = this;
    this.threads = undefined;
    this.isGivenUp = true;
    if (threads !== undefined) await end(threads);
  }
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
