import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { Database } from '../database/database.js';
import type { FeedView } from '../database/feed-view.js';
import { unavailable } from '../errors/errors.js';
import { WholeFeed } from '../feed/reading/whole-feed.js';
import { logger } from '../logging/logger.js';
import type { SnapshotFile } from './snapshot-file.js';
import { SnapshotFolder } from './snapshot-folder.js';
import { SnapshotLines } from './snapshot-lines.js';
import { historyOf, type SnapshotFormat, SnapshotName } from './snapshot-name.js';

/** After this time it gives up: meanwhile the database must keep old versions of whatever is changed. */
const LONGEST_MS = 30 * 60_000;
/** The longest pause between two read views: SQLite's WAL can only be reset while there is none. */
const LONGEST_REST_MS = 1_000;

const NOT_MADE = 'the snapshot was not made';

/** A snapshot that can be read while it is made. `over` resolves when it is complete or has failed. */
export interface Making {
  file: SnapshotFile;
  over: Promise<boolean>;
}

/** Writes the whole feed into a file, as it is at one moment. */
@Injectable()
export class SnapshotMaker implements OnApplicationBootstrap {
  private restUntilMs = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly feed: WholeFeed,
    private readonly folder: SnapshotFolder,
    private readonly lines: SnapshotLines,
  ) {}

  /** An operator shall not learn of it from who asks for the first one. A start does not wait for a file system that hangs. */
  onApplicationBootstrap(): void {
    void this.makePlace();
  }

  /** Makes the folder, or warns. */
  async makePlace(): Promise<void> {
    await this.folder.make().catch(warnOfNoPlace);
  }

  /**
   * Compressed lines of a format (see SnapshotLines). One at a time of each.
   * @param giveUp aborts it and removes the file
   * @throws ApiError 503 while the database is away, or there is no place for a file
   */
  async begin(format: SnapshotFormat, giveUp: AbortSignal): Promise<Making> {
    await sleep(Math.max(this.restUntilMs - performance.now(), 0));
    await this.database.ready();
    if (this.database.writes.isShortOfDisk) throw unavailable('disk_short');
    const signal = AbortSignal.any([giveUp, AbortSignal.timeout(LONGEST_MS)]);
    const beganMs = performance.now();
    const view = await this.open(signal);
    const rest = (): void => {
      const now = performance.now();
      this.restUntilMs = now + Math.min(now - beganMs, LONGEST_REST_MS);
    };
    try {
      const history = historyOf(view.epoch, this.config.timeZone);
      const file = await this.create(SnapshotName.next(history, view.clockUs, format));
      return { file, over: this.write(view, file, signal).finally(rest) };
    } catch (error) {
      await close(view);
      throw error;
    }
  }

  private async open(signal: AbortSignal): Promise<FeedView> {
    try {
      return await this.feed.open(signal);
    } catch (error) {
      const failure = this.database.judge(error);
      // Whoever asks for it meets the same: that the database is away is told once.
      const isTold = ['away', 'lost', 'denied'].includes(failure);
      logger[isTold ? 'debug' : 'warn']({ reason: (error as Error).message }, NOT_MADE);
      throw failure === 'defect' && !signal.aborted ? error : unavailable('database_away');
    }
  }

  private async create(name: SnapshotName): Promise<SnapshotFile> {
    try {
      await this.folder.clear();
      return await this.folder.create(name);
    } catch (error) {
      warnOfNoPlace(error as Error);
      throw unavailable('snapshot_failed');
    }
  }

  /** @returns whether it is complete; on failure its readers get the error */
  private async write(view: FeedView, file: SnapshotFile, signal: AbortSignal): Promise<boolean> {
    try {
      // The fastest level: the others take several times as long to save a fifth.
      const gzip = createGzip({ level: constants.Z_BEST_SPEED });
      await pipeline(
        this.lines.print(file.name.format, view),
        gzip,
        (bytes: AsyncIterable<Buffer>) => append(file, bytes),
        { signal },
      );
      await this.folder.publish(file);
      return true;
    } catch (error) {
      this.database.judge(error);
      logger.warn({ reason: (error as Error).message }, NOT_MADE);
      await this.folder.discard(file);
      file.end(unavailable('snapshot_failed'));
      return false;
    } finally {
      await close(view);
    }
  }
}

async function append(file: SnapshotFile, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of bytes) await file.append(chunk);
}

/** Ignores errors: the connection may be gone already. */
async function close(view: FeedView): Promise<void> {
  await view.close().catch((error: Error) => logger.warn({ reason: error.message }, 'a view was not closed'));
}

function warnOfNoPlace({ message }: Error): void {
  logger.warn({ reason: message }, 'there is no place for a snapshot: see SNAPSHOT_FOLDER');
}
