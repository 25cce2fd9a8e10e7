import { setImmediate as settle } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FeedRange, FeedSnapshot } from '../../database/readers/feed-reader.js';
import type { PastAsset } from '../../database/readers/past-asset.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { PAGE_BYTES } from '../../database/readers/page-size-limit.js';
import type { FormerPosition } from '../../database/readers/revision-reader.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { DurableWatermark, SettledWatermark } from '../watermarks.js';
import { ReadPoint } from '../read-point.js';
import { ExactFeed } from './exact-feed.js';

/** A feed whose snapshots may be torn: a view may lack changes whose commit is about to end. */
class TornFeed {
  atomicViews = false;
  clockUs = 0;
  readonly shown = new Set<number>();
  readonly ranges: FeedRange[] = [];
  readPoints = 0;
  /** How many assets fit on each page that is read, in that order. */
  fitting: number[] = [];
  /** Actions of the writer that holds the clock's lock, before it releases it. */
  beforeReadPoint: () => Promise<void> = () => Promise.resolve();
  /** Actions of others after the read point is taken. */
  afterReadPoint: () => void = () => undefined;
  private readonly left: FormerPosition[] = [];

  /** Changes an asset again. */
  move(us: number): void {
    this.shown.delete(us);
    this.left.push({ id: String(us), modifiedUs: us, bytes: 1 });
    this.shown.add(++this.clockUs);
  }

  async read(range: FeedRange): Promise<FeedSnapshot> {
    this.ranges.push(range);
    const inside = [...this.shown].filter((us) => us > range.afterUs && us < range.beforeUs).toSorted((a, b) => a - b);
    if (range.newestFirst) inside.reverse();
    const limit = Math.min(range.limit, this.fitting.shift() ?? Infinity);
    const entries = inside.slice(0, limit).map((us) => ({ id: String(us), modifiedUs: us, asset: undefined }));
    return Promise.resolve({ clockUs: this.clockUs, epoch: 'e', limit, entries });
  }

  positionsLeftSince(us: number, { afterUs, beforeUs }: FeedRange): Promise<FormerPosition[]> {
    const isIn = ({ modifiedUs }: FormerPosition): boolean =>
      modifiedUs <= us && modifiedUs > afterUs && modifiedUs < beforeUs;
    return Promise.resolve(this.left.filter(isIn));
  }

  at(): Promise<PastAsset | undefined> {
    return Promise.resolve(undefined);
  }

  async readPoint(): Promise<number> {
    this.readPoints++;
    await this.beforeReadPoint();
    const { clockUs } = this;
    this.afterReadPoint();
    return clockUs;
  }
}

const ALL: FeedRange = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: false, limit: 100, whole: false };
let torn: TornFeed;
let settled: SettledWatermark;
let durable: DurableWatermark;
let feed: ExactFeed;
let needsBarrier = false;
let flushes: number;
const readAll = async (): Promise<number[]> => (await feed.read(ALL)).entries.map(({ modifiedUs }) => modifiedUs);

beforeEach(() => {
  torn = new TornFeed();
  settled = new SettledWatermark();
  flushes = 0;
  const durability = {
    needsBarrier: () => needsBarrier,
    timesLost: () => 0,
    flush: async () => Promise.resolve(void flushes++),
  };
  durable = new DurableWatermark(durability);
  feed = new ExactFeed(torn, torn, settled, durable, new ReadPoint(torn, settled));
});

describe('a page', () => {
  it('never shows a change without an earlier one', async () => {
    // The view shows 2 and not 1, whose commit has not ended yet.
    torn.clockUs = 2;
    torn.shown.add(2);
    torn.beforeReadPoint = async () => {
      torn.shown.add(1);
      return Promise.resolve();
    };
    expect(await readAll()).toEqual([1, 2]);
  });

  it('ends at the read point, though later changes are visible', async () => {
    torn.clockUs = 1;
    torn.shown.add(1);
    let first = true;
    torn.beforeReadPoint = async () => Promise.resolve();
    const read = torn.read.bind(torn);
    torn.read = async (range) => {
      const page = await read(range);
      if (first) torn.shown.add(3);
      first = false;
      return page;
    };
    expect(await readAll()).toEqual([1]);
    expect(torn.ranges.at(-1)?.beforeUs).toBe(2);
  });

  it.each([
    [{}, [1, 2, 3]],
    [{ limit: 2, newestFirst: true }, [3, 2]],
  ])('(%j) shows an asset that changed after the read point in its earlier position', async (how, expected) => {
    torn.clockUs = 3;
    for (const us of [1, 2, 3]) torn.shown.add(us);
    torn.afterReadPoint = () => torn.move(2);
    const { entries } = await feed.read({ ...ALL, ...how });
    expect(entries.map(({ modifiedUs }) => modifiedUs)).toEqual(expected);
  });

  it.each([
    ['the second one', [9, 3], [1, 2, 3]],
    ['the first one', [2, 9], [1, 2]],
  ])('omits nothing if fewer assets fit on %s', async (_, fitting, expected) => {
    // The first view has neither 3 nor 4, and 5 has moved in the second one.
    torn.clockUs = 6;
    for (const us of [1, 2, 5, 6]) torn.shown.add(us);
    torn.fitting = [...fitting];
    torn.beforeReadPoint = () => Promise.resolve(void torn.shown.add(3).add(4));
    torn.afterReadPoint = () => torn.move(5);
    expect(await readAll()).toEqual(expected);
  });

  it('with an end before the read point ends there', async () => {
    torn.clockUs = 3;
    for (const us of [1, 2, 3]) torn.shown.add(us);
    const { entries } = await feed.read({ ...ALL, beforeUs: 3 });
    expect(entries.map(({ modifiedUs }) => modifiedUs)).toEqual([1, 2]);
  });

  it('raises the settled watermark to its read point, for later readers', async () => {
    torn.clockUs = 5;
    await readAll();
    await readAll();
    expect([torn.ranges.length, torn.readPoints]).toEqual([3, 1]);
  });

  it('is read again if its range was settled only after the first read, and ends there', async () => {
    // The first view shows 2 and not 1. Another batch, which locks the clock for long, is visible in the second one.
    torn.clockUs = 2;
    torn.shown.add(2);
    const read = torn.read.bind(torn);
    torn.read = async (range) => {
      const page = await read(range);
      settled.raise(2);
      torn.shown.add(1).add(3);
      torn.clockUs = 3;
      return page;
    };
    expect(await readAll()).toEqual([1, 2]);
    expect([torn.ranges.length, torn.readPoints]).toEqual([2, 0]);
  });

  it('does not end before the clock of its first view', async () => {
    torn.clockUs = 5;
    torn.shown.add(5);
    const read = torn.read.bind(torn);
    torn.read = async (range) => {
      settled.raise(4);
      return read(range);
    };
    expect(await readAll()).toEqual([5]);
    expect(torn.readPoints).toBe(1);
  });

  it('takes no read point if views are atomic', async () => {
    torn.atomicViews = true;
    torn.clockUs = 5;
    await readAll();
    expect([torn.ranges.length, torn.readPoints]).toEqual([1, 0]);
  });
});

describe('if commits are visible before they are durable, a page', () => {
  beforeEach(() => void (needsBarrier = true));
  afterEach(() => void (needsBarrier = false));

  it('waits until everything in its snapshot is durable, not only its entries', async () => {
    torn.atomicViews = true;
    torn.shown.add(1);
    torn.clockUs = 5;
    await readAll();
    expect(flushes).toBe(1);
    torn.clockUs = 6;
    await readAll();
    expect(flushes).toBe(2);
  });

  it('waits for changes committed up to its read point, even if all earlier ones are durable', async () => {
    torn.clockUs = 5;
    torn.shown.add(5);
    durable.raise(5);
    torn.beforeReadPoint = async () => {
      torn.clockUs = 6;
      return Promise.resolve(void torn.shown.add(6));
    };
    expect(await readAll()).toEqual([5, 6]);
    expect(flushes).toBe(1);
  });

  it('does not wait if it is empty', async () => {
    torn.clockUs = 5;
    await readAll();
    expect(flushes).toBe(0);
  });
});

/** Assets by id, with the instants of all their changes. All bodies have the same size. */
class ChangingFeed extends TornFeed {
  readonly instants = new Map([['a', [1]], ['b', [2]]]); // prettier-ignore
  bytes = 1;
  /** How many more reads of an asset's past state find nothing. */
  unknown = new Map<string, number>();
  readonly asked: string[] = [];

  change(...ids: string[]): void {
    for (const id of ids) this.instants.get(id)?.push(++this.clockUs);
  }

  private body(id: string, us: number): ReadAsset {
    return { id, modifiedUs: us, body: EncodedText.from(Buffer.alloc(this.bytes)) } as ReadAsset;
  }

  override async read(range: FeedRange): Promise<FeedSnapshot> {
    this.ranges.push(range);
    const direction = range.newestFirst ? -1 : 1;
    const all = [...this.instants].map(([id, instants]) => ({ id, modifiedUs: instants.at(-1) as number }));
    const entries = all
      .filter(({ modifiedUs: us }) => us > range.afterUs && us < range.beforeUs)
      .toSorted((one, other) => direction * (one.modifiedUs - other.modifiedUs))
      .slice(0, range.limit)
      .map(({ id, modifiedUs }) => ({ id, modifiedUs, asset: range.whole ? this.body(id, modifiedUs) : undefined }));
    return Promise.resolve({ clockUs: this.clockUs, epoch: 'e', limit: range.limit, entries });
  }

  override positionsLeftSince(us: number, range: FeedRange): Promise<FormerPosition[]> {
    const states = [...this.instants].flatMap(([id, instants]) => instants.map((modifiedUs, i) => ({ id, modifiedUs, untilUs: instants[i + 1] ?? 0 }))); // prettier-ignore
    const left = states.filter(({ modifiedUs: from, untilUs }) => untilUs > us && from <= us && from > range.afterUs && from < range.beforeUs); // prettier-ignore
    return Promise.resolve(left.map(({ id, modifiedUs }) => ({ id, modifiedUs, bytes: this.bytes })));
  }

  override async at(id = '', us = 0): Promise<PastAsset | undefined> {
    this.asked.push(id);
    await new Promise((resolve) => void setImmediate(resolve));
    const left = this.unknown.get(id) ?? 0;
    this.unknown.set(id, left - 1);
    if (left > 0) return { asset: undefined, missingUs: us + 1 };
    const modifiedUs = this.instants.get(id)?.findLast((instant) => instant <= us) as number;
    return { asset: this.body(id, modifiedUs), missingUs: undefined };
  }
}

describe('a page during which a group of assets changes, and then one of them again', () => {
  let changing: ChangingFeed;
  const read = async (how: Partial<FeedRange> = {}): Promise<[string, number][]> =>
    (await feed.read({ ...ALL, ...how })).entries.map(({ id, modifiedUs }) => [id, modifiedUs]);

  beforeEach(() => {
    changing = new ChangingFeed();
    changing.clockUs = 9;
    changing.beforeReadPoint = () => Promise.resolve(changing.change('a', 'b'));
    changing.afterReadPoint = () => changing.change('a');
    feed = new ExactFeed(changing, changing, settled, durable, new ReadPoint(changing, settled));
  });

  it.each<[string, Partial<FeedRange>, [string, number][]]>([
    ['', {}, [['a', 10], ['b', 11]]],
    [', newest first', { newestFirst: true }, [['b', 11], ['a', 10]]],
    [', up to an instant', { beforeUs: 11 }, [['a', 10]]],
    [', after an offset', { afterUs: 10 }, [['b', 11]]],
  ])('shows both as they were at the read point%s', async (_, how, expected) => {
    expect(await read(how)).toEqual(expected);
    changing.instants.set('a', [1]).set('b', [2]);
    changing.clockUs = 9;
    settled = new SettledWatermark();
    feed = new ExactFeed(changing, changing, settled, durable, new ReadPoint(changing, settled));
    expect(await read({ ...how, whole: true })).toEqual(expected);
  }); // prettier-ignore

  it('omits assets that had left its range before the read point', async () => {
    changing.beforeReadPoint = () => Promise.resolve(changing.change('a'));
    changing.afterReadPoint = () => changing.change('a', 'b');
    expect(await read({ beforeUs: 3 })).toEqual([['b', 2]]);
  });

  it('shows whole assets as they were then', async () => {
    const [first] = (await feed.read({ ...ALL, whole: true })).entries;
    expect(first?.asset).toMatchObject({ id: 'a', modifiedUs: 10 });
  });

  it('is read again at another read point if a past state is not found', async () => {
    changing.unknown.set('a', 1);
    let times = 0;
    changing.beforeReadPoint = () => Promise.resolve(times++ === 0 ? changing.change('a', 'b') : undefined);
    changing.afterReadPoint = () => (times === 1 ? changing.change('a') : undefined);
    expect(await read({ whole: true })).toEqual([['b', 11], ['a', 12]]); // prettier-ignore
    expect(changing.readPoints).toBe(2);
  });

  it('takes a new read point if a past state is not found at a known one', async () => {
    changing.unknown.set('a', 1);
    const first = changing.read.bind(changing);
    changing.read = async (range) => {
      changing.read = first;
      changing.change('a', 'b');
      const page = await first(range);
      settled.raise(changing.clockUs);
      changing.change('a');
      return page;
    };
    changing.beforeReadPoint = () => Promise.resolve();
    changing.afterReadPoint = () => undefined;
    expect(await read({ whole: true })).toEqual([['b', 11], ['a', 12]]); // prettier-ignore
    expect(changing.readPoints).toBe(1);
  });

  it('is 503 if past states are never found', async () => {
    changing.unknown.set('a', Infinity);
    await expect(read({ whole: true })).rejects.toMatchObject({ status: 503 });
    expect(changing.readPoints).toBe(5);
  });

  describe('of many whole assets', () => {
    const ids = Array.from({ length: 12 }, (_, i) => `c${i}`);
    beforeEach(() => {
      ids.forEach((id, i) => changing.instants.set(id, [3 + i]));
      changing.clockUs = 20;
      changing.beforeReadPoint = () => Promise.resolve(changing.change(...ids));
      changing.afterReadPoint = () => changing.change(...ids);
    });

    it('ends at the maximum size of a page, and lowers its limit', async () => {
      changing.bytes = PAGE_BYTES / 2;
      const { limit, entries } = await feed.read({ ...ALL, afterUs: 20, whole: true });
      expect([limit, entries.map(({ id }) => id)]).toEqual([2, ['c0', 'c1']]);
      expect(changing.asked).toEqual(['c0', 'c1']);
    });
  });
});

describe('the read point', () => {
  it('is shared by all readers that asked before it was taken, and by no later one', async () => {
    torn.clockUs = 5;
    const gates: (() => void)[] = [];
    torn.beforeReadPoint = () => new Promise((resolve) => gates.push(resolve));
    const first = readAll();
    await settle();
    expect(torn.readPoints).toBe(1);
    const later = [readAll(), readAll(), readAll()];
    await settle();
    expect(torn.readPoints).toBe(1);
    gates.shift()?.();
    await first;
    await settle();
    expect(torn.readPoints).toBe(2);
    gates.shift()?.();
    await Promise.all(later);
    expect(torn.readPoints).toBe(2);
  });

  it('that failed is not shared with the next', async () => {
    torn.clockUs = 5;
    torn.beforeReadPoint = () => Promise.reject(new Error('away'));
    await expect(readAll()).rejects.toThrow('away');
    torn.beforeReadPoint = () => Promise.resolve();
    expect(await readAll()).toEqual([]);
  });
});

describe('settle', () => {
  it('waits until everything up to the read point is settled and durable', async () => {
    torn.clockUs = 7;
    needsBarrier = true;
    expect(await feed.settle()).toEqual({ readPointUs: 7, epoch: 'e' });
    expect([torn.readPoints, flushes, settled.us]).toEqual([1, 1, 7]);
    needsBarrier = false;
  });
});
