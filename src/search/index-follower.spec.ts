import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { TestIndex } from '../../test/support/index-threads.js';
import { idOf, indexedAsset } from '../../test/support/indexed-asset.js';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import type { Database } from '../database/database.js';
import type { FeedEntry, FeedRange } from '../database/readers/feed-reader.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import type { WriterRequest } from '../database/search/index-writer.js';
import type { ExactFeed } from '../feed/reading/exact-feed.js';
import { logger } from '../platform/logging/logger.js';
import { IndexFollower } from './index-follower.js';
import type { IndexSupervisor } from './index-supervisor.js';
import type { SearchableAssets } from './searchable-assets.js';

/** More than fit into one transaction. */
const COUNT = 2_600;

let index: TestIndex;
/** The feed: instants by asset number. */
let feed: Map<number, number>;
let epoch: string;
/** Called before a page is read. */
let before: (range: FeedRange) => void;
let follower: IndexFollower;

beforeEach(() => {
  index = new TestIndex();
  feed = new Map(Array.from({ length: COUNT }, (_, i) => [i + 1, i + 1]));
  [epoch, before] = ['epoch', () => undefined];
  follower = started();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await follower.onModuleDestroy();
  await index.end();
});

function started(): IndexFollower {
  const read = (range: FeedRange): Promise<unknown> => {
    before(range);
    return Promise.resolve({ epoch, limit: range.limit, entries: entriesIn(range) });
  };
  const supervisor = {
    isOn: true,
    write: (asked: WriterRequest) => index.writer.ask(asked),
    noteWritten: () => undefined,
    close: () => undefined,
  };
  const searchable = { indexed: ({ id }: { id: number }) => indexedAsset(id, 'w:all', feed.get(id)) };
  return new IndexFollower(
    { ready: () => Promise.resolve() } as Database,
    supervisor as unknown as IndexSupervisor,
    { read } as unknown as ExactFeed,
    searchable as unknown as SearchableAssets,
  );
}

function entriesIn({ afterUs, beforeUs, newestFirst, limit }: FeedRange): FeedEntry[] {
  const entries = [...feed]
    .filter(([, us]) => us > afterUs && us < beforeUs)
    .toSorted(([, a], [, b]) => (newestFirst ? b - a : a - b));
  return entries.slice(0, limit).map(([id, us]) => ({ id: idOf(id), modifiedUs: us, asset: { id } as never }));
}

async function untilComplete(one = follower): Promise<void> {
  while (!(await one.catchUp())) await one.tick();
}

const found = (): Promise<number[]> => index.ids({}, { limit: 10_000 });
const expected = (): number[] => [...feed].toSorted(([, a], [, b]) => b - a).map(([number]) => number);

it('a new index is filled from the newest change backwards', async () => {
  const positions: IndexPosition[] = [];
  const ask = index.writer.ask.bind(index.writer);
  jest.spyOn(index.writer, 'ask').mockImplementation((asked) => {
    if (typeof asked === 'object' && 'add' in asked) positions.push(asked.add.to);
    return ask(asked);
  });
  await untilComplete();
  expect(positions).toEqual([1_601, 601, -1].map((fromUs) => ({ epoch, us: COUNT, fromUs })));
  expect(await found()).toEqual(expected());
});

it('the first searches of a new index wait until its first assets are indexed', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const ask = index.writer.ask.bind(index.writer);
  jest.spyOn(index.writer, 'ask').mockImplementation(async (asked) => {
    if (typeof asked === 'object') await released;
    return ask(asked);
  });
  const searches = [follower.catchUp(), follower.catchUp()];
  const waited = sleep(2 * TIME_BUDGETS_MS.searchCatchUp, 'nothing');
  const first = await Promise.race([...searches, waited]);
  release();
  expect(first).toBe('nothing');
  await Promise.all(searches);
  expect((await index.position()).epoch).toBe(epoch);
  expect((await found()).length).toBeGreaterThan(0);
  await untilComplete();
});

it('assets that change during the build are indexed once, in their newest version', async () => {
  let now = COUNT;
  // Some before they are read, some after, some between two pages.
  before = ({ whole }) => {
    if (whole && now < COUNT + 200) for (let i = 0; i < 10; i++) feed.set(((now * 61) % COUNT) + 1, ++now);
  };
  await untilComplete();
  before = () => undefined;
  await untilComplete();
  expect(await found()).toEqual(expected());
});

it('another process continues at the stored position', async () => {
  let pages = 0;
  before = () => {
    if (pages++ > 40) throw new Error('killed');
  };
  const logged = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
  await follower.tick();
  expect(logged).toHaveBeenCalledWith({ reason: 'killed' }, 'the feed was not indexed');
  expect(await index.position()).toEqual({ epoch, us: COUNT, fromUs: 1_601 });
  before = () => undefined;
  follower = started();
  feed.set(5, COUNT + 1);
  await untilComplete();
  expect(await found()).toEqual(expected());
});

it('two followers of the same feed write each change once', async () => {
  const other = started();
  await Promise.all([untilComplete(other), untilComplete()]);
  feed.set(7, COUNT + 1);
  await Promise.all([untilComplete(other), untilComplete()]);
  expect(await found()).toEqual(expected());
  await other.onModuleDestroy();
});

it('an index of another epoch, or ahead of the feed, is rebuilt', async () => {
  jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
  await untilComplete();
  feed.delete(COUNT);
  await untilComplete();
  expect(await found()).toEqual(expected());
  [epoch, feed] = ['other', new Map([[3, 5]])];
  await untilComplete();
  expect([await found(), (await index.position()).epoch]).toEqual([[3], 'other']);
  feed.clear();
  await untilComplete();
  expect(await found()).toEqual([]);
});
