import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FeedPages } from './feed-pages.js';
import type { Origins } from '../http/origins.js';
import type { RegistryResponse } from '../http/request.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { ListingController } from './listing.controller.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('each request for a page is refused 7.5 s after its arrival, even if it shares the read with others', async () => {
  let reads = 0;
  const feed = { read: () => new Promise(() => void reads++) } as unknown as FeedPages;
  const controller = new ListingController(feed, new RegistryTime('UTC'), {} as Origins);
  const refused: string[] = [];
  const list = async (name: string, waitedMs: number): Promise<void> => {
    const req = { url: '/api/0/assets', headers: {}, arrivedMs: performance.now() - waitedMs, idleMs: 0 };
    const response = { req } as unknown as RegistryResponse;
    await expect(controller.list(response.req, response)).rejects.toMatchObject({ status: 503 });
    refused.push(name);
  };
  const all = Promise.all([list('first', 5_500), list('second', 3_500), list('third', 6_500)]);
  const seen: string[][] = [];
  for (const ms of [999, 1_000, 1_000, 2_000]) {
    await jest.advanceTimersByTimeAsync(ms);
    seen.push([...refused]);
  }
  expect(seen).toEqual([[], ['third'], ['third', 'first'], ['third', 'first', 'second']]);
  await all;
  expect(reads).toBe(1);
});
