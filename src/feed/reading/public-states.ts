import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Requester } from '../../platform/concurrency/semaphore.js';
import { AssetReader } from '../../database/readers/asset-reader.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { type PublicRevision, RevisionFeed } from '../../database/readers/revision-feed.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import { PAGE_BYTES } from '../../database/readers/page-size-limit.js';
import { FULL_BODY_INTERVAL } from '../../database/readers/body-delta.js';
import { type StoredState, stateBefore } from '../../database/readers/past-asset.js';
import { unavailable } from '../../platform/errors/errors.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { AssetHistory } from './asset-history.js';
import { ExactFeed } from './exact-feed.js';

/** A public state of an asset, by the instant at which it began; in microseconds. */
export interface PublicState {
  id: string;
  modifiedUs: number;
  /** Undefined if its revision is damaged. */
  asset: ReadAsset | undefined;
}

const PAGE_ENTRIES = 1_000;
/** Revisions read by one statement: MariaDB and MySQL must read a whole revision to know its size. */
const REVISIONS_PER_READ = 64;

type StateStart = Pick<PublicState, 'modifiedUs'>;

/** When a state began, and when it ended if it had ended when it was listed; in microseconds. */
interface ListedState extends StateStart {
  untilUs: number | undefined;
}

/**
 * The states that began after one instant and up to another, settled one, in the order of the feed. A change meanwhile moves a state from the
 * current to the ended ones, so the ended ones are read last.
 */
export class StatesInOrder {
  private done = 0;

  private constructor(
    private readonly instants: Float64Array,
    /** When states ended, by when they began. */
    private readonly endedUs: ReadonlyMap<number, number>,
    readonly settledUs: number,
  ) {}

  /** @throws ApiError 503 while the database is away */
  static async between(
    { feed, ended }: Pick<StateSources, 'feed' | 'ended'>,
    afterUs: number,
    settledUs: number,
  ): Promise<StatesInOrder> {
    const instants: number[] = [];
    for (let lastUs = afterUs; ;) {
      const range = { afterUs: lastUs, beforeUs: settledUs + 1, newestFirst: false, limit: PAGE_ENTRIES, whole: false };
      const { entries } = await feed.read(range);
      for (const { modifiedUs } of entries) instants.push(modifiedUs);
      if (entries.length < PAGE_ENTRIES) break;
      lastUs = instants.at(-1) as number;
      // SQLite answers synchronously, so yield to other requests between pages.
      await yieldToRequests();
    }
    const endedUs = new Map<number, number>();
    for await (const states of ended.after(afterUs)) {
      for (const { modifiedUs, untilUs } of states)
        if (modifiedUs > afterUs && modifiedUs <= settledUs) endedUs.set(modifiedUs, untilUs);
    }
    // A typed array sorts fast and numerically: there may be millions at the first start with a key.
    const all = Float64Array.from([...instants, ...endedUs.keys()]).sort();
    return new StatesInOrder(
      all.filter((us, i) => us !== all[i - 1]),
      endedUs,
      settledUs,
    );
  }

  /** The next states, in order; empty at the end. */
  next(count: number): ListedState[] {
    const next = this.instants.slice(this.done, this.done + count);
    this.done += next.length;
    return Array.from(next, (modifiedUs) => ({ modifiedUs, untilUs: this.endedUs.get(modifiedUs) }));
  }

  /** When the following states of the same assets ended, as many as reconstructing a body may need. @param untilUs when the given ones ended */
  endsAfter(untilUs: readonly number[]): number[] {
    const ends = new Set(untilUs);
    for (const us of untilUs) {
      let nextUs = this.endedUs.get(us);
      for (let count = 1; count < FULL_BODY_INTERVAL && nextUs !== undefined && !ends.has(nextUs); count++) {
        ends.add(nextUs);
        nextUs = this.endedUs.get(nextUs);
      }
    }
    return [...ends].slice(untilUs.length);
  }

  get remaining(): number {
    return this.instants.length - this.done;
  }
}

export interface StateSources {
  feed: Pick<ExactFeed, 'read'>;
  ended: Pick<RevisionFeed, 'after' | 'untilByModified' | 'storedStates' | 'assetsOf'>;
  assets: Pick<AssetReader, 'findFitting'>;
  history: Pick<AssetHistory, 'at'>;
}

/** Reads all public states in history, with their bodies. */
@Injectable()
export class PublicStates {
  private readonly sources: StateSources;

  constructor(
    @Inject(ExactFeed) feed: StateSources['feed'],
    @Inject(RevisionFeed) ended: StateSources['ended'],
    @Inject(AssetReader) assets: StateSources['assets'],
    @Inject(AssetHistory) history: StateSources['history'],
  ) {
    this.sources = { feed, ended, assets, history };
  }

  /** @param settledUs a settled instant in microseconds @throws ApiError 503 while the database is away */
  between(afterUs: number, settledUs: number): Promise<StatesInOrder> {
    return StatesInOrder.between(this.sources, afterUs, settledUs);
  }

  /** Yields the next states with their bodies. @throws ApiError 503 */
  async *read(states: StatesInOrder, count: number): AsyncGenerator<PublicState> {
    const wanted = states.next(count);
    const present = await this.currentStates(wanted.filter(({ untilUs }) => untilUs === undefined));
    const endsUs = wanted.flatMap(({ untilUs }) => untilUs ?? []);
    const ended = await this.endedStates(endsUs, states.endsAfter(endsUs));
    const missing = wanted.filter(({ modifiedUs }) => !present.has(modifiedUs) && !ended.has(modifiedUs));
    const ids = await this.idsOf(missing, states.settledUs);
    for (const { modifiedUs } of wanted)
      yield present.get(modifiedUs) ?? ended.get(modifiedUs) ?? (await this.readAlone(ids.get(modifiedUs), modifiedUs));
  }

  /**
   * Yields the states of entries of the log, in their order.
   * @param entries consecutive ones: between their instants there are no other states
   * @throws ApiError 503, also if the caller has gone
   */
  async *of<Entry extends Pick<PublicRevision, 'asset' | 'modifiedUs'>>(
    entries: readonly Entry[],
    caller: Requester,
  ): AsyncGenerator<{ entry: Entry; asset: ReadAsset | undefined }> {
    const present = await this.currentStates(entries);
    const past = entries.filter(({ modifiedUs }) => !present.has(modifiedUs));
    const ends = await this.sources.ended.untilByModified(past);
    const endsUs = past.flatMap(({ modifiedUs }) => ends.get(modifiedUs) ?? []);
    const wanted = new Set(endsUs);
    const laterUs = [...ends.values()].filter((us) => !wanted.has(us));
    const ended = await this.endedStates(endsUs, laterUs, caller);
    for (const entry of entries) {
      const { asset: id, modifiedUs } = entry;
      const state = present.get(modifiedUs) ?? ended.get(modifiedUs) ?? (await this.readAlone(id, modifiedUs, caller));
      yield { entry, asset: state.asset };
    }
  }

  private async readAlone(id: string | undefined, modifiedUs: number, caller?: Requester): Promise<PublicState> {
    // The state has just moved; the caller retries.
    if (id === undefined) throw unavailable('changed_meanwhile');
    return { id, modifiedUs, asset: await this.at(id, modifiedUs, caller) };
  }

  /** @returns undefined if the state's revision is damaged @throws ApiError 503 */
  async at(id: string, us: number, caller?: Requester): Promise<ReadAsset | undefined> {
    try {
      const asset = await this.sources.history.at(id, us, caller);
      return asset.modifiedUs === us ? asset : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Reads those current states that fit into a page. @param wanted consecutive ones: no other current states lie between them */
  private async currentStates(wanted: readonly StateStart[]): Promise<Map<number, PublicState>> {
    if (wanted.length === 0) return new Map();
    const range = { ...rangeOf(wanted), limit: wanted.length, whole: true };
    const { entries } = await this.sources.feed.read(range);
    return new Map(entries.map((entry) => [entry.modifiedUs, entry]));
  }

  /**
   * Reads ended states, up to the size of a page. Each is reconstructed from the next state of its asset, or read alone if that is not known.
   * @param untilUs when they ended
   * @param laterUs when the states that followed them ended
   */
  private async endedStates(
    untilUs: readonly number[],
    laterUs: readonly number[],
    caller?: Requester,
  ): Promise<Map<number, PublicState>> {
    const [ended, wanted] = [new Map<number, PublicState>(), new Set(untilUs)];
    let bytes = 0;
    for await (const { state, next } of this.revisions([...untilUs, ...laterUs])) {
      const { asset: id, modifiedUs } = state;
      const later = next.get(id);
      const isWanted = wanted.has(state.untilUs);
      const asset =
        (later && stateBefore(later, state)) ?? (isWanted ? await this.at(id, modifiedUs, caller) : undefined);
      if (asset !== undefined) next.set(id, asset);
      if (!isWanted) continue;
      ended.set(modifiedUs, { id, modifiedUs, asset });
      bytes += asset?.body.length ?? 0;
      if (bytes > PAGE_BYTES) break;
    }
    return ended;
  }

  /**
   * Yields the revisions of ended states, newest first, and the next states of their assets. Ends early if most revisions are large.
   * @param untilUs when they ended
   */
  private async *revisions(
    untilUs: readonly number[],
  ): AsyncGenerator<{ state: StoredState; next: Map<string, ReadAsset> }> {
    const [newestFirst, next] = [untilUs.toSorted((one, other) => other - one), new Map<string, ReadAsset>()];
    for (let at = 0; at < newestFirst.length; at += REVISIONS_PER_READ) {
      const some = newestFirst.slice(at, at + REVISIONS_PER_READ);
      const stored = await this.sources.ended.storedStates(some);
      await this.addCurrent(next, stored);
      for (const state of stored) yield { state, next };
      if (stored.length < some.length / 2) return;
    }
  }

  /** Adds the current states of assets, up to the size of two pages. */
  private async addCurrent(present: Map<string, ReadAsset>, states: readonly StoredState[]): Promise<void> {
    const bytes = [...present.values()].reduce((sum, { body }) => sum + body.length, 0);
    const missing = [...new Set(states.map(({ asset }) => asset))].filter((id) => !present.has(id));
    if (missing.length === 0 || bytes > PAGE_BYTES) return;
    const { assets } = await this.sources.assets.findFitting(missing);
    for (const asset of assets) present.set(asset.id, asset);
  }

  /** Finds the asset ids of states that did not fit, and of those that were current when they were listed and have ended since. */
  private async idsOf(missing: readonly ListedState[], settledUs: number): Promise<Map<number, string>> {
    const ids = await this.sources.ended.assetsOf(missing.flatMap(({ untilUs }) => untilUs ?? []));
    const present = missing.filter(({ untilUs }) => untilUs === undefined);
    if (present.length === 0) return ids;
    const { entries } = await this.sources.feed.read({ ...rangeOf(present), limit: PAGE_ENTRIES, whole: false });
    for (const { id, modifiedUs } of entries) ids.set(modifiedUs, id);
    if (missing.every(({ modifiedUs }) => ids.has(modifiedUs))) return ids;
    for await (const states of this.sources.ended.after(settledUs))
      for (const { asset, modifiedUs } of states) ids.set(modifiedUs, asset);
    return ids;
  }
}

/** @param states at least one */
function rangeOf(states: readonly StateStart[]): Omit<FeedRange, 'limit' | 'whole'> {
  const [first, last] = [states[0], states.at(-1)] as [StateStart, StateStart];
  return { afterUs: first.modifiedUs - 1, beforeUs: last.modifiedUs + 1, newestFirst: false };
}
