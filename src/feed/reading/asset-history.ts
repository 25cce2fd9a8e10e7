import { Inject, Injectable } from '@nestjs/common';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { FeedReader } from '../../database/readers/feed-reader.js';
import {
  type HistoryRange,
  type HistoryRead,
  type HistoryState,
  RevisionReader,
} from '../../database/readers/revision-reader.js';
import type { Requester } from '../../platform/concurrency/semaphore.js';
import { assetNotFound, unavailable } from '../../platform/errors/errors.js';
import { DurableWatermark, SettledWatermark } from '../watermarks.js';
import { ReadPoint } from '../read-point.js';

/** A public state of an asset, from `modifiedUs` on (microseconds) until the next one. */
export interface HistoryEntry {
  modifiedUs: number;
  status: string;
  relatedLot: string | null;
  /** Names of the changed fields; undefined for the change that published the asset, and if they are not known. */
  changed: readonly string[] | undefined;
  /** Names of the brokers if the change transferred the asset. */
  transfer?: { from: string; to: string };
}

export type HistorySource = Pick<RevisionReader, 'list' | 'at'>;

/** An attempt is repeated only if the asset was changed again meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Earlier states of assets. MariaDB's read views are not atomic: they may show a change of an asset without the previous one, whose commit is
 * still under way. So a state only counts as missing once its instant is settled (docs/decisions/0030).
 */
@Injectable()
export class AssetHistory {
  constructor(
    @Inject(RevisionReader) private readonly revisions: HistorySource,
    @Inject(FeedReader) private readonly feed: Pick<FeedReader, 'atomicViews'>,
    private readonly settled: SettledWatermark,
    private readonly durable: DurableWatermark,
    private readonly readPoint: ReadPoint,
  ) {}

  /** Lists the public states, without those of a draft. @param id 32 lower-case hex characters @throws ApiError 404, 503 */
  async list(id: string, range: HistoryRange): Promise<HistoryEntry[]> {
    const { now, states } = await this.readUntorn(id, range);
    await this.durable.waitFor(now.modifiedUs);
    return states.map(toEntry);
  }

  /**
   * The asset as it was at an instant, given in microseconds; the current state if the instant is after the registry's newest change. The
   * answer for an earlier instant never changes.
   * @throws ApiError 404 if it was not public then, 503
   */
  async at(id: string, us: number, caller?: Requester): Promise<ReadAsset> {
    // A change with an earlier instant may not be committed yet.
    if (us > this.settled.us) await this.readPoint.obtain();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const settledUs = this.settled.us;
      const past = await this.revisions.at(id, us, caller);
      if (past?.asset !== undefined) {
        await this.durable.waitFor(past.asset.modifiedUs);
        return past.asset;
      }
      const missingUs = past?.missingUs;
      if (missingUs === undefined || this.feed.atomicViews || missingUs <= settledUs) throw assetNotFound();
      await this.readPoint.obtain();
    }
    throw unavailable('changed_meanwhile');
  }

  private async readUntorn(id: string, range: HistoryRange): Promise<HistoryRead> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const settledUs = this.settled.us;
      const read = await this.revisions.list(id, range);
      if (read === undefined) throw assetNotFound();
      const all = [...read.states, read.now];
      if (this.feed.atomicViews || !all.some((state) => isTorn(state, settledUs))) return read;
      await this.readPoint.obtain();
    }
    throw unavailable('changed_meanwhile');
  }
}

/** Whether the revision before this state is missing but may still appear, because its instant was not settled when it was read. */
function isTorn({ isFirst, change, modifiedUs }: HistoryState, settledUs: number): boolean {
  return !isFirst && change === undefined && modifiedUs > settledUs;
}

function toEntry({ modifiedUs, status, relatedLot, owner, change }: HistoryState): HistoryEntry {
  const changed = change?.wasListed === true ? change.changed : undefined;
  const entry = { modifiedUs, status, relatedLot, changed };
  const from = change?.ownerBefore ?? null;
  const isTransfer = changed?.includes('owner') === true && from !== null && owner !== null;
  return isTransfer ? { ...entry, transfer: { from, to: owner } } : entry;
}
