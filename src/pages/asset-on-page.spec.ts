import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ReadAsset } from '../database/asset-row.js';
import { EncodedText } from '../text/encoded-text.js';
import { AssetLists } from './asset-lists.js';
import { NewestChanges } from './newest-changes.js';
import type { PageQuery } from './page-query.js';
import type { Visit } from './visit.js';

const NONE = {} as never;
const TYPES = { find: () => undefined } as never;
const VISIT = { language: 'uk', base: '', query: {} } as Visit;
const HITS = Array.from({ length: 3 }, (_, i) => ({ id: `${i}`, modifiedUs: i }));

let nowMs = 0;
let turns = 0;
/** In which turns of the event loop assets were parsed, by the order of their coming. */
let parsed: number[];
let counting: NodeJS.Immediate;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
  parsed = [];
  jest.spyOn(JSON, 'parse').mockImplementation(() => {
    parsed.push(turns);
    nowMs += 5;
    return {};
  });
});
afterEach(() => {
  clearImmediate(counting);
  jest.restoreAllMocks();
});

/** What a server has sent by the same turn. */
function foundWith(bytes: number): never {
  const body = EncodedText.from(Buffer.from(JSON.stringify({ title: 'x'.repeat(bytes) })));
  const asset = { id: '', assetId: 'UA-1', assetType: 'none', status: 'pending', body } as unknown as ReadAsset;
  return { find: async () => turn().then(() => ({ asset })) } as never;
}

const shows: Record<string, (found: never) => Promise<unknown>> = {
  'a list': (found) => {
    const search = { find: async () => ({ hits: HITS, isComplete: true, indexedUs: 0 }) } as never;
    const summaries = { find: () => undefined, show: () => ({ whole: { text: '' }, brief: { text: '' } }) } as never;
    const counts = { of: async () => undefined } as never;
    const lists = new AssetLists(NONE, search, found, TYPES, summaries, counts);
    return lists.page({ query: {} } as PageQuery, VISIT, { isGone: () => false, worked: () => undefined });
  },
  'an Atom feed': (found) => new NewestChanges(NONE, NONE, found, TYPES).show(HITS),
};

it.each(Object.keys(shows))('large assets of %s that come together are parsed in turns of their own', async (name) => {
  await shows[name]?.(foundWith(100_000));
  expect(new Set(parsed).size).toBe(HITS.length);
});

it.each(Object.keys(shows))('small ones of %s are parsed as they come', async (name) => {
  await shows[name]?.(foundWith(10));
  expect(parsed).toHaveLength(HITS.length);
  expect(new Set(parsed).size).toBe(1);
});
