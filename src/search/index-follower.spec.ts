import { describe, expect, it } from '@jest/globals';
import type { FeedRange } from '../database/feed-reader.js';
import type { IndexedAsset, IndexPosition } from '../database/search/indexed-asset.js';
import { IndexFollower, pauseAfter } from './index-follower.js';

const FEED = Array.from({ length: 120 }, (_, i) => i + 1);

/** A feed of the instants 1 to 120, and an index that keeps them. */
class World {
  feed = FEED;
  epoch = 'first';
  at: IndexPosition = { epoch: '', us: -1 };
  readonly kept: number[] = [];
  /** Of assets on a page: as few as two where they are large. */
  mostFitting = Infinity;
  /** Called before each page is taken in: another process may be faster. */
  before: (() => void) | undefined;
  /** Of each asset, in bytes. */
  bodyLength = 10;
  /** What it costs to make an entry. */
  indexing = (): void => undefined;
  /** Called in the second step of that. */
  goingOn = (): unknown => undefined;

  readonly follower = new IndexFollower({
    feed: {
      read: async ({ afterUs, limit: asked }: FeedRange, limit = Math.min(asked, this.mostFitting)) => ({
        epoch: this.epoch,
        limit,
        entries: this.feed
          .filter((us) => us > afterUs)
          .slice(0, limit)
          .map((modifiedUs) => ({
            id: String(modifiedUs),
            modifiedUs,
            asset: { modifiedUs, body: { length: this.bodyLength } } as never,
          })),
      }),
    },
    searchable: {
      indexed: ({ modifiedUs }) => this.indexed(modifiedUs),
    },
  });

  readonly index = {
    position: () => this.at,
    begin: (_: IndexPosition, epoch: string) => {
      this.at = { epoch, us: -1 };
      this.kept.length = 0;
      return true;
    },
    add: (from: IndexPosition, assets: readonly IndexedAsset[]) => {
      this.before?.();
      if (from.us !== this.at.us) return false;
      this.kept.push(...assets.map(({ modifiedUs }) => modifiedUs));
      this.at = { ...from, us: this.kept.at(-1) ?? -1 };
      return true;
    },
  };

  private *indexed(modifiedUs: number): Generator<void, IndexedAsset> {
    this.indexing();
    yield;
    this.goingOn();
    return { modifiedUs } as IndexedAsset;
  }
}

describe('the feed is followed', () => {
  it('to its end', async () => {
    const world = new World();
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual(FEED);
    expect(world.follower.epoch).toBe('first');
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual(FEED);
  });

  it('to its end, where pages are short because few assets fit', async () => {
    const world = new World();
    world.mostFitting = 2;
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual(FEED);
  });

  it('from where another process has come', async () => {
    const world = new World();
    world.before = () => {
      world.before = undefined;
      world.at = { epoch: 'first', us: 70 };
    };
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual(FEED.slice(70));
  });

  it('from the beginning where it tells another history', async () => {
    const world = new World();
    await world.follower.follow(world.index, () => true);
    world.epoch = 'second';
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.at).toEqual({ epoch: 'second', us: 120 });
    expect(world.kept).toEqual(FEED);
  });

  it('from the beginning where an older state of the database was put back', async () => {
    const world = new World();
    await world.follower.follow(world.index, () => true);
    world.feed = FEED.slice(0, 60);
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual(world.feed);
  });

  it('past the last entry, which may have moved to the end', async () => {
    const world = new World();
    await world.follower.follow(world.index, () => true);
    world.feed = [...FEED.slice(0, -1), 121];
    expect(await world.follower.follow(world.index, () => true)).toBe(true);
    expect(world.kept).toEqual([...FEED, 121]);
  });

  it('with a turn of the event loop after each asset that takes long, and is taken in up to there', async () => {
    const world = new World();
    let turns = 0;
    const count = (): unknown => (turn = setImmediate(() => (turns++, count())));
    let turn: NodeJS.Immediate;
    const [heldIn, keptAt]: number[][] = [[], []];
    world.indexing = () => {
      const began = performance.now();
      while (performance.now() - began < 20);
      heldIn?.push(turns);
      keptAt?.push(world.kept.length);
    };
    count();
    await world.follower.follow(world.index, () => world.kept.length < 5);
    clearImmediate(turn!);
    expect(new Set(heldIn).size).toBe(5);
    expect(keptAt).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    ['at once of small assets', 10, false],
    ['step by step of large ones, with turns of the event loop for others between', 100_000, true],
  ])('%s', async (_, bodyLength, hasTurns) => {
    const world = new World();
    world.feed = [1];
    world.bodyLength = bodyLength;
    let [isTurnOver, wasTurnOver] = [false, false];
    world.indexing = () => {
      const began = performance.now();
      while (performance.now() - began < 3);
      setImmediate(() => (isTurnOver = true));
    };
    world.goingOn = () => (wasTurnOver = isTurnOver);
    await world.follower.follow(world.index, () => true);
    expect(wasTurnOver).toBe(hasTurns);
  });

  it('until it may not go on', async () => {
    const world = new World();
    expect(await world.follower.follow(world.index, () => world.kept.length === 0)).toBe(false);
    // The first page, or a part of it where the machine took longer for that than an asset may take.
    expect(world.kept).toEqual(FEED.slice(0, world.kept.length));
    expect(world.kept.length).toBeLessThanOrEqual(51);
  });
});

it.each([
  { workMs: 10, idleMs: 0, isAwaited: true, pause: 10 },
  { workMs: 10, idleMs: 9, isAwaited: false, pause: 10 },
  { workMs: 10, idleMs: 0, isAwaited: false, pause: 40 },
])('between two pages requests have as much time as the index, and more where they need it: $pause ms', (page) => {
  expect(pauseAfter(page)).toBe(page.pause);
});

it.each([true, false])(
  'and no more than a second where the process or its database stood still (awaited: %s)',
  (isAwaited) => {
    expect(pauseAfter({ workMs: 20_000, idleMs: 0, isAwaited })).toBe(1_000);
  },
);
