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

/** After this time it gives up: meanwhile the database must keep old versions of whatever is changed. */
const LONGEST_MS = 30 * 60_000;
const NOT_MADE = 'the snapshot was not made';

/** A snapshot that can be read while it is made. `over` resolves when it is complete or has failed, to whether it is complete. */
export interface Making {
  file: SnapshotFile;
  over: Promise<boolean>;
}

/** Writes the whole feed into a file, as it is at one moment. */
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

  /** The operator is warned before anybody asks. A start does not wait for a file system that hangs. */
  onApplicationBootstrap(): void {
    void makeFolder(this.folder).catch(warnOfFolder);
  }

  /**
   * Begins a file of compressed lines (see SnapshotLines).
   * @param giveUp aborts it
   * @throws ApiError 503 while the database is away, or there is no place for a file
   */
  async begin(format: SnapshotFormat, giveUp: AbortSignal): Promise<Making> {
    await this.database.ready();
    if (this.database.writes.isShortOfDisk) throw unavailable('disk_short');
    const signal = AbortSignal.any([giveUp, AbortSignal.timeout(LONGEST_MS)]);
    const view = await this.open(signal);
    try {
      await makeFolder(this.folder);
      const file = await SnapshotFile.create(this.folder, view);
      return { file, over: this.write(view, file, format, signal) };
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
      // Whoever asks for it meets the same: that the database is away is logged once.
      const isLogged = ['away', 'lost'].includes(failure);
      logger[isLogged ? 'debug' : 'warn']({ reason: (error as Error).message }, NOT_MADE);
      throw failure === 'defect' && !signal.aborted ? error : unavailable('database_away');
    }
  }

  /** @returns whether it is complete; closes the view */
  private async write(
    view: FeedView,
    file: SnapshotFile,
    format: SnapshotFormat,
    signal: AbortSignal,
  ): Promise<boolean> {
    // The fastest level: the others take several times as long to save a fifth.
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

/** @throws Error of the file system, also where nothing can be written to it */
async function makeFolder(path: string): Promise<void> {
  // Not `recursive`: Node never returns from that below /proc.
  for (const folder of [dirname(path), path]) await mkdir(folder, MODE_OWNER_WRITES).catch(unlessThere);
  // With the slash a file in its place is refused.
  await access(`${path}/.`, modes.W_OK);
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function warnOfFolder({ message }: Error): void {
  logger.warn({ reason: message }, 'there is no place for a snapshot: see SNAPSHOT_FOLDER');
}
