import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { unavailable } from '../../platform/errors/errors.js';
import { WholeFeed } from '../../feed/reading/whole-feed.js';
import type { Caller } from '../../http/caller.js';
import type { SnapshotFile } from './snapshot-file.js';
import { SNAPSHOT_FORMATS, type SnapshotFormat } from './snapshot-lines.js';
import { type SnapshotInProgress, SnapshotWriter } from './snapshot-writer.js';

/** A smaller snapshot is written within some hundredths of a second, so it is renewed after every change. */
const SMALL_BYTES = 64 * 1024;
/** The default of SNAPSHOT_MAX_AGE for larger ones. */
const LARGE_MAX_AGE_MS = 600_000;
/** Older snapshots kept on disk for slow readers. */
const MAX_OLDER = 2;
/** A request waits for a snapshot begun before it, and for the next one. */
const MAX_ATTEMPTS = 2;

type FeedPosition = Awaited<ReturnType<WholeFeed['position']>>;

/** The snapshots of one format: the newest for new requests, and older ones that are still being read. */
export class SnapshotSeries {
  private readonly end = new AbortController();
  /** Complete ones, newest last. */
  private files: SnapshotFile[] = [];
  private inProgress: Promise<SnapshotInProgress> | undefined;

  constructor(
    private readonly format: SnapshotFormat,
    private readonly maxAgeMs: Config['snapshotMaxAgeMs'],
    private readonly feed: Pick<WholeFeed, 'position'>,
    private readonly writer: Pick<SnapshotWriter, 'begin'>,
  ) {}

  /**
   * The newest snapshot; if that is too old, a new one, which may still grow. Begin to read it in this round of the event loop.
   * @param caller its admission slot is released while it waits
   * @throws ApiError 503 while the database is away, or if no snapshot can be written
   */
  async newest(caller: Pick<Caller, 'releaseSlot'>): Promise<SnapshotFile> {
    const position = await this.feed.position();
    const newest = this.newestValid(position);
    // A snapshot ahead of the feed belongs to a history that a restore replaced.
    const isAhead = newest !== undefined && newest.moment.clockUs > position.clockUs;
    if (newest !== undefined && !isAhead && this.isRecent(newest, position)) return newest;
    // Not reacquired, because the rest costs almost nothing.
    caller.releaseSlot();
    try {
      return await this.newer(position);
    } catch (error) {
      const previous = this.newestValid(position);
      if (previous === undefined) throw error;
      return previous;
    }
  }

  private async newer(position: FeedPosition): Promise<SnapshotFile> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { file, done } = await (this.inProgress ??= this.begin());
      const isComplete = await Promise.race([done, sleep(TIME_BUDGETS_MS.snapshot, undefined, { ref: false })]);
      if (isComplete === false) throw failed();
      if (isValid(file, position) && (attempt === MAX_ATTEMPTS || this.isRecent(file, position))) return file;
    }
    throw unavailable('changed_meanwhile');
  }

  private async begin(): Promise<SnapshotInProgress> {
    try {
      const { file, done } = await this.writer.begin(this.format, this.end.signal);
      return { file, done: this.finish(file, done) };
    } catch (error) {
      this.inProgress = undefined;
      throw error;
    }
  }

  private async finish(file: SnapshotFile, done: Promise<boolean>): Promise<boolean> {
    const isComplete = await done;
    this.inProgress = undefined;
    if (isComplete) this.add(file);
    else file.retire();
    file.end(isComplete ? undefined : failed());
    return isComplete;
  }

  private add(file: SnapshotFile): void {
    this.files.at(-1)?.retire();
    this.files.push(file);
    for (const old of this.files.slice(0, -1 - MAX_OLDER)) old.cut();
    this.files = this.files.slice(-1 - MAX_OLDER);
  }

  private newestValid(position: FeedPosition): SnapshotFile | undefined {
    const newest = this.files.at(-1);
    return newest !== undefined && isValid(newest, position) ? newest : undefined;
  }

  /** Whether it is young enough, or has all changes up to the position. A growing one, whose size is not known, counts as large. */
  private isRecent({ size, ageMs, moment }: SnapshotFile, { clockUs }: FeedPosition): boolean {
    const isSmall = size !== undefined && size < SMALL_BYTES;
    return moment.clockUs >= clockUs || ageMs < (this.maxAgeMs ?? (isSmall ? 0 : LARGE_MAX_AGE_MS));
  }

  async close(): Promise<void> {
    this.end.abort();
    const inProgress = await this.inProgress?.catch(() => undefined);
    await inProgress?.done;
    for (const file of this.files) file.retire();
  }
}

function failed(): Error {
  return unavailable('snapshot_failed');
}

/** False for another epoch, and for a snapshot from before the newest erasure, which contains the erased values. */
function isValid({ moment: { epoch, clockUs } }: SnapshotFile, position: FeedPosition): boolean {
  return epoch === position.epoch && clockUs >= position.erasedUs;
}

@Injectable()
export class Snapshots implements OnModuleDestroy {
  private readonly series: ReadonlyMap<SnapshotFormat, SnapshotSeries>;

  constructor(@Inject(CONFIG) { snapshotMaxAgeMs }: Config, feed: WholeFeed, writer: SnapshotWriter) {
    const seriesOf = (format: SnapshotFormat) => new SnapshotSeries(format, snapshotMaxAgeMs, feed, writer);
    this.series = new Map(SNAPSHOT_FORMATS.map((format) => [format, seriesOf(format)]));
  }

  /** See `SnapshotSeries.newest`. */
  newest(format: SnapshotFormat, caller: Pick<Caller, 'releaseSlot'>): Promise<SnapshotFile> {
    return (this.series.get(format) as SnapshotSeries).newest(caller);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.series.values()].map((one) => one.close()));
  }
}
