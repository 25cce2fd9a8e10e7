import { Inject, Injectable } from '@nestjs/common';
import type { ReadAsset } from '../../database/asset-row.js';
import { FeedReader } from '../../database/feed-reader.js';
import {
  type HistoryRange,
  type HistorySnapshot,
  type HistoryState,
  RevisionReader,
} from '../../database/revision-reader.js';
import { assetNotFound, unavailable } from '../../errors/errors.js';
import { DurableClock } from '../durable-clock.js';
import { ReadPoint } from '../read-point.js';
import { SettledClock } from '../settled-clock.js';

/** A public state of an asset, from `modifiedUs` on (microseconds) until the next one. */
export interface HistoryEntry {
  modifiedUs: number;
  status: string;
  relatedLot: string | null;
  /** Names of the fields that the change changed; undefined for the entry by which it was published, and where that is not known. */
  changed: readonly string[] | undefined;
}

/** A part of an asset's public history, and the asset's own last change, draft or not. */
export interface HistoryPart {
  modifiedUs: number;
  entries: HistoryEntry[];
}

/** What the history needs of a database. The database room fulfils it; a test may put a double in its place. */
export type HistorySource = Pick<RevisionReader, 'list' | 'at'>;

/** Each attempt but the first comes after another change of the same asset. */
const ATTEMPTS = 5;

/**
 * What assets were. A read view that is no single moment (MariaDB) may show a change of an asset without the one before it, whose commit
 * is under way: what is missing counts as missing once its instant is known to be over (docs/decisions/0030).
 */
@Injectable()
export class AssetHistory {
  constructor(
    @Inject(RevisionReader) private readonly revisions: HistorySource,
    @Inject(FeedReader) private readonly feed: Pick<FeedReader, 'atomicViews'>,
    private readonly settled: SettledClock,
    private readonly durable: DurableClock,
    private readonly readPoint: ReadPoint,
  ) {}

  /** Public states only, so none of a draft. @param id 32 lower-case hex characters @throws ApiError 404, 503 */
  async list(id: string, range: HistoryRange): Promise<HistoryEntry[]> {
    return (await this.read(id, range)).entries;
  }

  /** @throws ApiError 404 when there is no such asset, 503 */
  async read(id: string, range: HistoryRange): Promise<HistoryPart> {
    const { now, states } = await this.exactSnapshot(id, range);
    await this.durable.waitFor(now.modifiedUs);
    return { modifiedUs: now.modifiedUs, entries: states.map(toEntry) };
  }

  /**
   * As it was at an instant, in microseconds; as it is now, where that is later than the newest change of the registry. What is
   * answered for an earlier instant is answered for ever.
   * @returns with its body in `latin1` @throws ApiError 404 when it was not public then, 503
   */
  async at(id: string, us: number): Promise<ReadAsset> {
    // A change of an earlier instant may still be on its way to its commit.
    if (us > this.settled.us) await this.readPoint.ask();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const settledUs = this.settled.us;
      const past = await this.revisions.at(id, us);
      if (past?.asset !== undefined) {
        await this.durable.waitFor(past.asset.modifiedUs);
        return past.asset;
      }
      const missingUs = past?.missingUs;
      if (missingUs === undefined || this.feed.atomicViews || missingUs <= settledUs) throw assetNotFound();
      await this.readPoint.ask();
    }
    throw unavailable();
  }

  private async exactSnapshot(id: string, range: HistoryRange): Promise<HistorySnapshot> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const settledUs = this.settled.us;
      const snapshot = await this.revisions.list(id, range);
      if (snapshot === undefined) throw assetNotFound();
      const all = [...snapshot.states, snapshot.now];
      if (this.feed.atomicViews || !all.some((state) => isTornOff(state, settledUs))) return snapshot;
      await this.readPoint.ask();
    }
    throw unavailable();
  }
}

/** The revision before it should be there, and its change was not known to be over when it was looked for. */
function isTornOff({ isFirst, change, modifiedUs }: HistoryState, settledUs: number): boolean {
  return !isFirst && change === undefined && modifiedUs > settledUs;
}

function toEntry({ modifiedUs, status, relatedLot, change }: HistoryState): HistoryEntry {
  return { modifiedUs, status, relatedLot, changed: change?.wasListed === true ? change.changed : undefined };
}
