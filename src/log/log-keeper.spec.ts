import { describe, expect, it, jest } from '@jest/globals';
import type { LogHead } from '../database/entities/log-head.entity.js';
import type { LogReader } from '../database/log/log-reader.js';
import type { ExactFeed } from '../feed/reading/exact-feed.js';
import type { WholeFeed } from '../feed/reading/whole-feed.js';
import type { LogBuilder } from './log-builder.js';
import { LogKeeper } from './log-keeper.js';
import { LogKeys, newLogKey } from './log-keys.js';
import type { LogPublisher } from './log-publisher.js';

const HEAD: LogHead = { id: 1, size: 3, untilUs: 7, checkpoint: 'example.org/log/e\n3\n' };

describe('a step of the keeper of the log', () => {
  it('reads the head and the clock alone where there is nothing new', async () => {
    const head = jest.fn(() => Promise.resolve(HEAD));
    const clock = jest.fn(() => Promise.resolve({ clockUs: 7, epoch: 'e' }));
    const keeper = new LogKeeper(
      LogKeys.parse(newLogKey('example.org/log')),
      { head } as unknown as LogReader,
      {} as ExactFeed,
      { clock } as unknown as WholeFeed,
      {} as LogBuilder,
      { isDue: () => false } as unknown as LogPublisher,
    );
    for (let i = 1; i <= 2; i++) {
      await keeper.step();
      expect([head.mock.calls.length, clock.mock.calls.length]).toEqual([i, i]);
    }
    expect(keeper.signedLog).toEqual({ entries: 3, untilUs: 7 });
  });
});
