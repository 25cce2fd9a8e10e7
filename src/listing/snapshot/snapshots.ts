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
import { type Making, SnapshotWriter } from './snapshot-writer.js';

/** A smaller one, in bytes, is made in some hundredths of a second: again after every change. */
const SMALL_BYTES = 64 * 1024;
/** How old a larger one becomes while the feed goes on, where SNAPSHOT_MAX_AGE is not set. */
const LARGE_MAX_AGE_MS = 600_000;
/** Older snapshots of which slow readers keep the room on disk. */
const MAX_OLDER = 2;
/** A making that was begun before the request, and the next one. */
const MAX_MAKINGS = 2;

/** The feed's clock and epoch, and its newest erasure, in microseconds. */
type Place = Awaited<ReturnType<WholeFeed['place']>>;

/** The snapshots of one format: the newest for all who ask, and older ones that are still read. */
export class SnapshotSeries {
  private readonly end = new AbortController();
  /** Complete ones, the newest last. */
  private files: SnapshotFile[] = [];
  private making: Promise<Making> | undefined;

  constructor(
    private readonly format: SnapshotFormat,
    private readonly maxAgeMs: Config['snapshotMaxAgeMs'],
    private readonly feed: Pick<WholeFeed, 'place'>,
    private readonly maker: Pick<SnapshotWriter, 'begin'>,
  ) {}

  /**
   * The newest one; where it is too old, one that is made now and may still grow. It is to be read in this turn of the event loop.
   * @param caller gives up its place among the requests that are worked on while it waits
   * @throws ApiError 503 while the database is away, or none can be made
   */
  async newest(caller: Pick<Caller, 'releaseSlot'>): Promise<SnapshotFile> {
    const place = await this.feed.place();
    const newest = this.newestOf(place);
    // One that is ahead of the feed belongs to a history that a restore took back.
    const isAhead = newest !== undefined && newest.moment.clockUs > place.clockUs;
    if (newest !== undefined && !isAhead && this.isRecent(newest, place)) return newest;
    // For good: what is left to do costs nothing.
    caller.releaseSlot();
    try {
      return await this.newer(place);
    } catch (error) {
      const before = this.newestOf(place);
      if (before === undefined) throw error;
      return before;
    }
  }

  private async newer(place: Place): Promise<SnapshotFile> {
    for (let making = 1; making <= MAX_MAKINGS; making++) {
      const { file, over } = await (this.making ??= this.begin());
      const isComplete = await Promise.race([over, sleep(TIME_BUDGETS_MS.snapshot, undefined, { ref: false })]);
      if (isComplete === false) throw failed();
      if (isOfHistory(file, place) && (making === MAX_MAKINGS || this.isRecent(file, place))) return file;
    }
    throw unavailable('changed_meanwhile');
  }

  private async begin(): Promise<Making> {
    try {
      const { file, over } = await this.maker.begin(this.format, this.end.signal);
      return { file, over: this.finish(file, over) };
    } catch (error) {
      this.making = undefined;
      throw error;
    }
  }

  private async finish(file: SnapshotFile, over: Promise<boolean>): Promise<boolean> {
    const isComplete = await over;
    this.making = undefined;
    if (isComplete) this.keep(file);
    else file.retire();
    file.end(isComplete ? undefined : failed());
    return isComplete;
  }

  private keep(file: SnapshotFile): void {
    this.files.at(-1)?.retire();
    this.files.push(file);
    for (const old of this.files.slice(0, -1 - MAX_OLDER)) old.cut();
    this.files = this.files.slice(-1 - MAX_OLDER);
  }

  private newestOf(place: Place): SnapshotFile | undefined {
    const newest = this.files.at(-1);
    return newest !== undefined && isOfHistory(newest, place) ? newest : undefined;
  }

  /** Young enough, or with everything that had been changed by then. The size of one that still grows is not known: it is large. */
  private isRecent({ size, ageMs, moment }: SnapshotFile, { clockUs }: Place): boolean {
    const isSmall = size !== undefined && size < SMALL_BYTES;
    return moment.clockUs >= clockUs || ageMs < (this.maxAgeMs ?? (isSmall ? 0 : LARGE_MAX_AGE_MS));
  }

  async close(): Promise<void> {
    this.end.abort();
    const making = await this.making?.catch(() => undefined);
    await making?.over;
    for (const file of this.files) file.retire();
  }
}

function failed(): Error {
  return unavailable('snapshot_failed');
}

/** An older one than the newest erasure has what was erased. */
function isOfHistory({ moment: { epoch, clockUs } }: SnapshotFile, place: Place): boolean {
  return epoch === place.epoch && clockUs >= place.erasedUs;
}

@Injectable()
export class Snapshots implements OnModuleDestroy {
  private readonly series: ReadonlyMap<SnapshotFormat, SnapshotSeries>;

  constructor(@Inject(CONFIG) { snapshotMaxAgeMs }: Config, feed: WholeFeed, maker: SnapshotWriter) {
    const seriesOf = (format: SnapshotFormat) => new SnapshotSeries(format, snapshotMaxAgeMs, feed, maker);
    this.series = new Map(SNAPSHOT_FORMATS.map((format) => [format, seriesOf(format)]));
  }

  /** The newest of a format, see SnapshotSeries. */
  newest(format: SnapshotFormat, caller: Pick<Caller, 'releaseSlot'>): Promise<SnapshotFile> {
    return (this.series.get(format) as SnapshotSeries).newest(caller);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.series.values()].map((one) => one.close()));
  }
}
