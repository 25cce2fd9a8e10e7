import { access, constants as modes, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { Database } from '../../database/database.js';
import { codeOf } from '../../database/dialects/error-code.js';
import type { FeedView } from '../../database/readers/feed-view.js';
import { MODE_OWNER_WRITES } from '../../database/files/folders.js';
import { unavailable } from '../../platform/errors/errors.js';
import { WholeFeed } from '../../feed/reading/whole-feed.js';
import { logger } from '../../platform/logging/logger.js';
import { SnapshotFile } from './snapshot-file.js';
import { type SnapshotFormat, SnapshotLines } from './snapshot-lines.js';

/** Time-out, because the database must keep old row versions meanwhile. */
const TIMEOUT_MS = 30 * 60_000;
const NOT_MADE = 'the snapshot was not made';

/** A snapshot being written, which can already be read. */
export interface SnapshotInProgress {
  file: SnapshotFile;
  /** Resolves when writing ends: to true if the snapshot is complete, to false if it failed. */
  done: Promise<boolean>;
}

/** Writes a consistent view of the whole feed to a file. */
@Injectable()
export class SnapshotWriter implements OnApplicationBootstrap {
  private readonly folder: string;

  constructor(
    @Inject(CONFIG) { snapshotFolder }: Config,
    private readonly database: Database,
    private readonly feed: WholeFeed,
    private readonly lines: SnapshotLines,
  ) {
    this.folder = snapshotFolder;
  }

  /** Warns the operator before the first request. Not awaited, so that a file system that hangs does not block the start. */
  onApplicationBootstrap(): void {
    void makeFolder(this.folder).catch(warnOfFolder);
  }

  /**
   * Begins to write compressed lines (see SnapshotLines).
   * @throws ApiError 503 while the database is away, or if no file can be created
   */
  async begin(format: SnapshotFormat, abort: AbortSignal): Promise<SnapshotInProgress> {
    await this.database.ready();
    if (this.database.writes.isShortOfDisk) throw unavailable('disk_short');
    const signal = AbortSignal.any([abort, AbortSignal.timeout(TIMEOUT_MS)]);
    const view = await this.open(signal);
    try {
      await makeFolder(this.folder);
      const file = await SnapshotFile.create(this.folder, view);
      return { file, done: this.write(view, file, format, signal) };
    } catch (error) {
      await close(view);
      warnOfFolder(error as Error);
      throw unavailable('snapshot_failed');
    }
  }

  private async open(signal: AbortSignal): Promise<FeedView> {
    try {
      return await this.feed.open(signal);
    } catch (error) {
      const failure = this.database.judge(error);
      // A database that is away is logged elsewhere, once and not for each request.
      const isLogged = ['away', 'lost'].includes(failure);
      logger[isLogged ? 'debug' : 'warn']({ reason: (error as Error).message }, NOT_MADE);
      throw failure === 'defect' && !signal.aborted ? error : unavailable('database_away');
    }
  }

  /** Closes the view at the end. @returns whether the snapshot is complete */
  private async write(
    view: FeedView,
    file: SnapshotFile,
    format: SnapshotFormat,
    signal: AbortSignal,
  ): Promise<boolean> {
    // Higher levels take several times as long to save a fifth.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    try {
      await pipeline(this.lines.print(format, view), gzip, (chunks) => append(file, chunks), { signal });
      return true;
    } catch (error) {
      this.database.judge(error);
      logger.warn({ reason: (error as Error).message }, NOT_MADE);
      return false;
    } finally {
      await close(view);
    }
  }
}

async function append(file: SnapshotFile, chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) await file.append(chunk);
}

/** Ignores errors: the connection may be gone already. */
async function close(view: FeedView): Promise<void> {
  await view.close().catch((error: Error) => logger.warn({ reason: error.message }, 'a view was not closed'));
}

/** @throws Error of the file system, also if the folder is not writable */
async function makeFolder(path: string): Promise<void> {
  // Not `recursive`: Node never returns from that below /proc.
  for (const folder of [dirname(path), path]) await mkdir(folder, MODE_OWNER_WRITES).catch(ignoreExisting);
  // The slash excludes a file of that name.
  await access(`${path}/.`, modes.W_OK);
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function warnOfFolder({ message }: Error): void {
  logger.warn({ reason: message }, 'snapshots cannot be written: see SNAPSHOT_FOLDER');
}
