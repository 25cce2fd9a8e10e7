import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Requester } from '../../platform/concurrency/semaphore.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { type PublicRevision, RevisionFeed } from '../../database/readers/revision-feed.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
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
/** States that are read at once: each may have a megabyte. */
const STATES_AT_ONCE = 16;

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

  get left(): number {
    return this.instants.length - this.done;
  }
}

export interface StateSources {
  feed: Pick<ExactFeed, 'read'>;
  ended: Pick<RevisionFeed, 'after' | 'assetsOf'>;
  history: Pick<AssetHistory, 'at'>;
}

/** Reads every public state that there ever was, whole. */
@Injectable()
export class PublicStates {
  private readonly sources: StateSources;

  constructor(
    @Inject(ExactFeed) feed: StateSources['feed'],
    @Inject(RevisionFeed) ended: StateSources['ended'],
    @Inject(AssetHistory) history: StateSources['history'],
  ) {
    this.sources = { feed, ended, history };
  }

  /** @param settledUs a settled instant in microseconds @throws ApiError 503 while the database is away */
  between(afterUs: number, settledUs: number): Promise<StatesInOrder> {
    return StatesInOrder.between(this.sources, afterUs, settledUs);
  }

  /** The next states, whole, one after the other. @throws ApiError 503 */
  async *read(states: StatesInOrder, count: number): AsyncGenerator<PublicState> {
    const wanted = states.next(count);
    const present = await this.presentOnes(wanted.filter(({ untilUs }) => untilUs === undefined));
    const missing = wanted.filter(({ modifiedUs }) => !present.has(modifiedUs));
    const ids = await this.idsOf(missing, states.settledUs);
    const read = async ({ modifiedUs }: Began): Promise<PublicState> =>
      present.get(modifiedUs) ?? this.alone(ids.get(modifiedUs), modifiedUs);
    for (const some of inParts(wanted)) yield* await Promise.all(some.map(read));
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
    const read = async (entry: Entry): Promise<{ entry: Entry; asset: ReadAsset | undefined }> => {
      const { asset: id, modifiedUs } = entry;
      const { asset } = present.get(modifiedUs) ?? (await this.alone(id, modifiedUs, caller));
      return { entry, asset };
    };
    for (const some of inParts(entries)) yield* await Promise.all(some.map(read));
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

  /** Of states that have ended, before they were listed or since, and of present ones that did not fit into a page. */
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

function* inParts<State>(states: readonly State[]): Generator<readonly State[]> {
  for (let at = 0; at < states.length; at += STATES_AT_ONCE) yield states.slice(at, at + STATES_AT_ONCE);
}
