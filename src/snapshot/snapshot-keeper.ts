import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { unavailable } from '../errors/errors.js';
import { WholeFeed } from '../feed/reading/whole-feed.js';
import type { Caller } from '../http/caller.js';
import type { SnapshotFile } from './snapshot-file.js';
import { SnapshotFolder } from './snapshot-folder.js';
import { type Making, SnapshotMaker } from './snapshot-maker.js';
import { historyOf, SNAPSHOT_FORMATS, type SnapshotFormat, type SnapshotName } from './snapshot-name.js';

const ANOTHER_LOOK_MS = 100;
/** One that is smaller is made in some hundredths of a second, for whoever asks after a change. In bytes, compressed. */
const SMALL_BYTES = 64 * 1024;
/** How old a larger one becomes while the feed goes on, where nothing else was told. */
const LARGE_MAX_AGE_MS = 600_000;

/** The feed's epoch and clock, and the history that snapshots of it belong to. Microseconds. */
interface Place {
  history: string;
  epoch: string;
  clockUs: number;
  /** The newest erasure: an older snapshot may have what is gone. */
  erasedUs: number;
}

/** What was found: the newest snapshot, retained, and whether it can be answered without a look at who makes another. */
interface Look {
  place: Place;
  kept: SnapshotFile | undefined;
  isFresh: boolean;
}

/** A snapshot that is retained for one reader, and its epoch. */
export interface KeptSnapshot {
  file: SnapshotFile;
  epoch: string;
}

/** The client that asks for a snapshot. */
type SnapshotCaller = Pick<Caller, 'withoutSlot' | 'releaseSlot'>;

/** Keeps one snapshot of a format for all readers, and has a new one made when it is too old. */
export class SnapshotKeeper {
  private readonly end = new AbortController();
  private readonly beganMs = Date.now();
  private current: SnapshotFile | undefined;
  private making: Promise<Making> | undefined;

  constructor(
    private readonly format: SnapshotFormat,
    private readonly config: Config,
    private readonly feed: WholeFeed,
    private readonly folder: SnapshotFolder,
    private readonly maker: SnapshotMaker,
  ) {}

  /**
   * The newest snapshot. It may still grow, where there are many assets.
   * @param caller has no admission slot while it waits: that may take as long as others are let wait
   * @returns a file that the caller must release
   * @throws ApiError 503 while the database is away, or none can be made
   */
  async newest(caller: SnapshotCaller): Promise<KeptSnapshot> {
    let askedUs: number | undefined;
    for (let waitedMs = 0; ; waitedMs += ANOTHER_LOOK_MS) {
      const { place, kept, isFresh } = await this.look(askedUs);
      askedUs ??= place.clockUs;
      const file = isFresh ? kept : await this.newer(place, kept, askedUs, caller);
      if (file !== undefined) return { file, epoch: place.epoch };
      if (waitedMs >= TIME_BUDGETS_MS.snapshot) {
        if (kept !== undefined) return { file: kept, epoch: place.epoch };
        throw unavailable('snapshot_in_progress', 'The snapshot is being made: try again soon');
      }
      // First, as a client that has gone never gets its slot back.
      kept?.release();
      await caller.withoutSlot(sleep(ANOTHER_LOOK_MS));
    }
  }

  /**
   * One that is made now, here; or an older one that may be answered meanwhile.
   * @param kept is released where another one is answered
   * @param askedUs what had been changed by then has to be in a small one
   * @returns undefined when it is worth another look
   */
  private async newer(
    place: Place,
    kept: SnapshotFile | undefined,
    askedUs: number,
    caller: SnapshotCaller,
  ): Promise<SnapshotFile | undefined> {
    const isMadeElsewhere =
      this.making === undefined && (await this.folder.isMadeElsewhere(place.history, this.format));
    if (isMadeElsewhere) return kept && this.mayBeOld(kept) ? kept : undefined;
    // For good: what is left to do costs nothing.
    caller.releaseSlot();
    const made = await this.make(place, kept?.retain());
    if (made === kept || this.mayBeOld(made) || made.name.clockUs >= askedUs) {
      kept?.release();
      return made;
    }
    // It was begun for somebody who had asked before.
    made.release();
    return undefined;
  }

  /**
   * Lists the snapshots and then reads the feed's place: a snapshot ahead of that belongs to a history that a restore took back.
   * @param askedUs the feed's clock when it was asked for; by default that of now
   */
  private async look(askedUs?: number): Promise<Look> {
    const names = await this.folder.list();
    const place = await this.place();
    const { clockUs, erasedUs } = place;
    const isOf = (name: SnapshotName): boolean =>
      name.format === this.format &&
      name.history === place.history &&
      name.clockUs <= clockUs &&
      name.clockUs >= erasedUs;
    const known = names.filter((name) => !name.isPart && name.ageMs >= 0 && isOf(name));
    const name = known.toSorted((a, b) => (a.isBefore(b) ? 1 : -1))[0];
    const kept = name && (await this.open(name));
    return { place, kept, isFresh: kept !== undefined && this.isFresh(kept, askedUs ?? clockUs) };
  }

  /** Also removes the snapshots from before the newest erasure. */
  private async place(): Promise<Place> {
    const place = await this.feed.place();
    const history = historyOf(place.epoch, this.config.timeZone);
    await this.folder.forget(history, place.erasedUs);
    return { ...place, history };
  }

  /** Young enough; or of this start of the service, with no change since. An older version may have printed assets in another way. */
  private isFresh(file: SnapshotFile, askedUs: number): boolean {
    const { clockUs, madeMs, ageMs } = file.name;
    return ageMs < this.maxAgeMs(file) || (clockUs >= askedUs && madeMs >= this.beganMs);
  }

  /** Whether it may be answered to somebody who has asked for it since it was begun. */
  private mayBeOld(file: SnapshotFile): boolean {
    return this.maxAgeMs(file) > 0;
  }

  /** The size of one that still grows is not known: it is large. */
  private maxAgeMs({ size }: SnapshotFile): number {
    return this.config.snapshotMaxAgeMs ?? (size !== undefined && size < SMALL_BYTES ? 0 : LARGE_MAX_AGE_MS);
  }

  /** @returns undefined when another process has replaced it meanwhile */
  private async open(name: SnapshotName): Promise<SnapshotFile | undefined> {
    if (this.current?.name.whole !== name.whole) {
      const file = await this.folder.open(name);
      if (file === undefined) return undefined;
      this.keep(file);
    }
    return this.current?.retain();
  }

  private keep(file: SnapshotFile): void {
    this.current?.release();
    this.current = file;
  }

  /** @param kept answered when no newer one can be made */
  private async make(place: Place, kept: SnapshotFile | undefined): Promise<SnapshotFile> {
    let file: SnapshotFile | undefined;
    try {
      this.making ??= this.begin();
      file = (await this.making).file.retain();
      if (file.name.history !== place.history || file.name.clockUs < place.erasedUs)
        throw unavailable('changed_meanwhile');
      await file.settle(TIME_BUDGETS_MS.snapshot);
      kept?.release();
      return file;
    } catch (error) {
      file?.release();
      if (kept === undefined) throw error;
      return kept;
    }
  }

  private async begin(): Promise<Making> {
    try {
      const making = (await this.completed()) ?? (await this.maker.begin(this.format, this.end.signal));
      void this.finish(making);
      return making;
    } catch (error) {
      this.making = undefined;
      throw error;
    }
  }

  /** Another look before one is made: since the last one a snapshot may have been completed, here or elsewhere, or replaced. */
  private async completed(): Promise<Making | undefined> {
    const { kept, isFresh } = await this.look();
    if (kept !== undefined && isFresh) return { file: kept, over: Promise.resolve(true) };
    kept?.release();
    return undefined;
  }

  private async finish({ file, over }: Making): Promise<void> {
    const isWhole = await over;
    this.making = undefined;
    if (!isWhole) return file.release();
    this.keep(file);
    file.end();
    // What was erased while it was made is in it. Where the database is away, whoever asks next finds that out.
    await this.place().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.end.abort();
    await (
      await this.making?.catch(() => undefined)
    )?.over;
    this.current?.release();
  }
}

/** The keepers of all formats. */
@Injectable()
export class SnapshotKeepers implements OnModuleDestroy {
  private readonly keepers: ReadonlyMap<SnapshotFormat, SnapshotKeeper>;

  constructor(@Inject(CONFIG) config: Config, feed: WholeFeed, folder: SnapshotFolder, maker: SnapshotMaker) {
    this.keepers = new Map(
      SNAPSHOT_FORMATS.map((format) => [format, new SnapshotKeeper(format, config, feed, folder, maker)]),
    );
  }

  /** The newest of a format, as its keeper gives it. */
  newest(format: SnapshotFormat, caller: SnapshotCaller): Promise<KeptSnapshot> {
    return (this.keepers.get(format) as SnapshotKeeper).newest(caller);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.keepers.values()].map((keeper) => keeper.close()));
  }
}
