import { describe, expect, it, jest } from '@jest/globals';
import type { RedactionReader } from '../../database/redaction-reader.js';
import type { FeedReader } from '../../database/feed-reader.js';
import type { FeedView, FeedViews } from '../../database/feed-view.js';
import { unavailable } from '../../errors/errors.js';
import { DurableClock } from '../known-clocks.js';
import { WholeFeed } from './whole-feed.js';

describe('a view that cannot be shown, as its barrier fails', () => {
  it.each([
    ['closes', () => Promise.resolve()],
    ['cannot be closed either', () => Promise.reject(new Error('its connection is gone'))],
  ])('is 503 when it %s', async (_, end) => {
    const close = jest.fn(end);
    const view = { clockUs: 5, close } as unknown as FeedView;
    const views = { open: () => Promise.resolve(view) } as unknown as FeedViews;
    const durable = new DurableClock({
      needsBarrier: () => true,
      timesLost: () => 0,
      flush: () => Promise.reject(unavailable()),
    });
    const opened = new WholeFeed({} as FeedReader, views, durable, {} as RedactionReader).open(
      new AbortController().signal,
    );
    await expect(opened).rejects.toMatchObject({ status: 503 });
    expect(close).toHaveBeenCalledTimes(1);
  });
});
