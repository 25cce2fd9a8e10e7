import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Requester } from '../../platform/concurrency/semaphore.js';
import { AssetReader } from '../../database/readers/asset-reader.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { type PublicRevision, RevisionFeed } from '../../database/readers/revision-feed.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import { PAGE_BYTES } from '../../database/readers/page-size-limit.js';
import { WHOLE_EVERY } from '../../database/readers/body-delta.js';
import { type StoredState, stateBefore } from '../../database/readers/past-asset.js';
import { unavailable } from '../../platform/errors/errors.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { AssetHistory } from './asset-history.js';
import { ExactFeed } from './exact-feed.js';

/** A public state of an asset, by the instant at which it began; in microseconds. */
export interface PublicState {
  id: string;
  modifiedUs: number;
  /** Undefined where it is not as it was kept. */
  asset: ReadAsset | undefined;
}

const AT_ONCE = 1_000;
/** Ended states of one statement: MariaDB and MySQL read all that is kept of one to know its size. */
const ENDED_AT_ONCE = 64;

type Began = Pick<PublicState, 'modifiedUs'>;

/** When a state began, and when it ended, if it had ended when it was listed; in microseconds. */
interface ListedState extends Began {
  untilUs: number | undefined;
}

/**
 * Which states began after one instant, up to another that is settled, in the order of the feed. An asset that is changed meanwhile moves
 * its state from the present ones to the ended ones: so these are looked at last.
 */
export class StatesInOrder {
  private done = 0;

  private constructor(
    private readonly instants: Float64Array,
    /** When those among them ended that had ended. */
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
      const range = { afterUs: lastUs, beforeUs: settledUs + 1, newestFirst: false, limit: AT_ONCE, whole: false };
      const { entries } = await feed.read(range);
      for (const { modifiedUs } of entries) instants.push(modifiedUs);
      if (entries.length < AT_ONCE) break;
      lastUs = instants.at(-1) as number;
      // SQLite answers within the call: without this, requests would wait for all pages.
      await turn();
    }
    const endedUs = new Map<number, number>();
    for await (const states of ended.after(afterUs)) {
      for (const { modifiedUs, untilUs } of states)
        if (modifiedUs > afterUs && modifiedUs <= settledUs) endedUs.set(modifiedUs, untilUs);
    }
    // A typed array is sorted as numbers, and fast: there may be millions at the first start with a key.
    const all = Float64Array.from([...instants, ...endedUs.keys()]).sort();
    return new StatesInOrder(
      all.filter((us, i) => us !== all[i - 1]),
      endedUs,
      settledUs,
    );
  }

  /** The next ones, in their order; none at the end. */
  next(count: number): ListedState[] {
    const next = this.instants.slice(this.done, this.done + count);
    this.done += next.length;
    return Array.from(next, (modifiedUs) => ({ modifiedUs, untilUs: this.endedUs.get(modifiedUs) }));
  }

  /** When those ended that came next after some, one after the other, as far as a body may have to be put together from them. */
  endsAfter(untilUs: readonly number[]): number[] {
    const ends = new Set(untilUs);
    for (const us of untilUs) {
      let nextUs = this.endedUs.get(us);
      for (let count = 1; count < WHOLE_EVERY && nextUs !== undefined && !ends.has(nextUs); count++) {
        ends.add(nextUs);
        nextUs = this.endedUs.get(nextUs);
      }
    }
    return [...ends].slice(untilUs.length);
  }

  get left(): number {
    return this.instants.length - this.done;
  }
}

export interface StateSources {
  feed: Pick<ExactFeed, 'read'>;
  ended: Pick<RevisionFeed, 'after' | 'endsFrom' | 'storedStates' | 'assetsOf'>;
  assets: Pick<AssetReader, 'findFitting'>;
  history: Pick<AssetHistory, 'at'>;
}

/** Reads every public state that there ever was, whole. */
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

  /** The next states, whole, one after the other. @throws ApiError 503 */
  async *read(states: StatesInOrder, count: number): AsyncGenerator<PublicState> {
    const wanted = states.next(count);
    const present = await this.presentOnes(wanted.filter(({ untilUs }) => untilUs === undefined));
    const endsUs = wanted.flatMap(({ untilUs }) => untilUs ?? []);
    const ended = await this.endedOnes(endsUs, states.endsAfter(endsUs));
    const missing = wanted.filter(({ modifiedUs }) => !present.has(modifiedUs) && !ended.has(modifiedUs));
    const ids = await this.idsOf(missing, states.settledUs);
    for (const { modifiedUs } of wanted)
      yield present.get(modifiedUs) ?? ended.get(modifiedUs) ?? (await this.alone(ids.get(modifiedUs), modifiedUs));
  }

  /**
   * The states that entries of the log are of, in their order.
   * @param entries that stand one after the other in it: between their instants there are no other states
   * @throws ApiError 503, also where the caller has gone
   */
  async *of<Entry extends Pick<PublicRevision, 'asset' | 'modifiedUs'>>(
    entries: readonly Entry[],
    caller: Requester,
  ): AsyncGenerator<{ entry: Entry; asset: ReadAsset | undefined }> {
    const present = await this.presentOnes(entries);
    const past = entries.filter(({ modifiedUs }) => !present.has(modifiedUs));
    const ends = await this.sources.ended.endsFrom(past);
    const endsUs = past.flatMap(({ modifiedUs }) => ends.get(modifiedUs) ?? []);
    const wanted = new Set(endsUs);
    const laterUs = [...ends.values()].filter((us) => !wanted.has(us));
    const ended = await this.endedOnes(endsUs, laterUs, caller);
    for (const entry of entries) {
      const { asset: id, modifiedUs } = entry;
      const state = present.get(modifiedUs) ?? ended.get(modifiedUs) ?? (await this.alone(id, modifiedUs, caller));
      yield { entry, asset: state.asset };
    }
  }

  private async alone(id: string | undefined, modifiedUs: number, caller?: Requester): Promise<PublicState> {
    // Nobody tells whose it was: it is looked for again.
    if (id === undefined) throw unavailable('changed_meanwhile');
    return { id, modifiedUs, asset: await this.at(id, modifiedUs, caller) };
  }

  /** @returns undefined where the state is not as it was kept @throws ApiError 503 */
  async at(id: string, us: number, caller?: Requester): Promise<ReadAsset | undefined> {
    try {
      const asset = await this.sources.history.at(id, us, caller);
      return asset.modifiedUs === us ? asset : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Those that fit into a page. @param wanted between the first and the last of them there are no other present ones */
  private async presentOnes(wanted: readonly Began[]): Promise<Map<number, PublicState>> {
    if (wanted.length === 0) return new Map();
    const range = { ...rangeOf(wanted), limit: wanted.length, whole: true };
    const { entries } = await this.sources.feed.read(range);
    return new Map(entries.map((entry) => [entry.modifiedUs, entry]));
  }

  /**
   * Each is put together from the one after it, and no more than a page has. Where that one is not known, it is read alone.
   * @param untilUs when they ended
   * @param laterUs when those ended that came after them
   */
  private async endedOnes(
    untilUs: readonly number[],
    laterUs: readonly number[],
    caller?: Requester,
  ): Promise<Map<number, PublicState>> {
    const [ended, wanted] = [new Map<number, PublicState>(), new Set(untilUs)];
    let bytes = 0;
    for await (const { state, next } of this.keptOnes([...untilUs, ...laterUs])) {
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
   * What was kept of ended states, the newest first, and what came next of their assets. Where much was kept of most, it ends.
   * @param untilUs when they ended
   */
  private async *keptOnes(
    untilUs: readonly number[],
  ): AsyncGenerator<{ state: StoredState; next: Map<string, ReadAsset> }> {
    const [newestFirst, next] = [untilUs.toSorted((one, other) => other - one), new Map<string, ReadAsset>()];
    for (let at = 0; at < newestFirst.length; at += ENDED_AT_ONCE) {
      const some = newestFirst.slice(at, at + ENDED_AT_ONCE);
      const kept = await this.sources.ended.storedStates(some);
      await this.addPresent(next, kept);
      for (const state of kept) yield { state, next };
      if (kept.length < some.length / 2) return;
    }
  }

  /** Adds the assets of some states as they are now, no more than two pages have. */
  private async addPresent(present: Map<string, ReadAsset>, states: readonly StoredState[]): Promise<void> {
    const bytes = [...present.values()].reduce((sum, { body }) => sum + body.length, 0);
    const missing = [...new Set(states.map(({ asset }) => asset))].filter((id) => !present.has(id));
    if (missing.length === 0 || bytes > PAGE_BYTES) return;
    const { assets } = await this.sources.assets.findFitting(missing);
    for (const asset of assets) present.set(asset.id, asset);
  }

  /** Of states that did not fit, and of those that were present when they were listed and have ended since. */
  private async idsOf(missing: readonly ListedState[], settledUs: number): Promise<Map<number, string>> {
    const ids = await this.sources.ended.assetsOf(missing.flatMap(({ untilUs }) => untilUs ?? []));
    const present = missing.filter(({ untilUs }) => untilUs === undefined);
    if (present.length === 0) return ids;
    const { entries } = await this.sources.feed.read({ ...rangeOf(present), limit: AT_ONCE, whole: false });
    for (const { id, modifiedUs } of entries) ids.set(modifiedUs, id);
    if (missing.every(({ modifiedUs }) => ids.has(modifiedUs))) return ids;
    for await (const states of this.sources.ended.after(settledUs))
      for (const { asset, modifiedUs } of states) ids.set(modifiedUs, asset);
    return ids;
  }
}

/** @param states at least one */
function rangeOf(states: readonly Began[]): Omit<FeedRange, 'limit' | 'whole'> {
  const [first, last] = [states[0], states.at(-1)] as [Began, Began];
  return { afterUs: first.modifiedUs - 1, beforeUs: last.modifiedUs + 1, newestFirst: false };
}
