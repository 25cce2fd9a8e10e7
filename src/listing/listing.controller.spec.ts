import { expect, it } from '@jest/globals';
import { DeadlineError } from '../database/deadline.js';
import type { FeedPages } from './feed-pages.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import type { Origins } from '../http/origin.js';
import { RegistryTime } from '../time/registry-time.js';
import { ListingController } from './listing.controller.js';

it('each who waits for a page is refused after 7.5 s of its own, though others read the same one', async () => {
  let reads = 0;
  const feed = { read: () => new Promise(() => void reads++) } as unknown as FeedPages;
  const controller = new ListingController(feed, new RegistryTime('UTC'), {} as Origins);
  const refused: string[] = [];
  const list = async (name: string, waitedMs: number): Promise<void> => {
    const request = { url: '/api/0/assets', headers: {}, arrivedMs: performance.now() - waitedMs, idleMs: 0 };
    await expect(controller.list(request as unknown as RegistryRequest, {} as RegistryResponse)).rejects.toBeInstanceOf(
      DeadlineError,
    );
    refused.push(name);
  };
  const began = performance.now();
  await Promise.all([list('first', 7_300), list('second', 7_100), list('third', 7_400)]);
  expect(refused).toEqual(['third', 'first', 'second']);
  expect(performance.now() - began).toBeGreaterThan(350);
  expect(reads).toBe(1);
});
