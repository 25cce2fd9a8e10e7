import { describe, expect, it, jest } from '@jest/globals';
import { checkpointText } from '#tlog';
import type { ClockMonitor } from '../feed/clock/clock-monitor.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import type { LogReader } from '../database/readers/log-reader.js';
import type { ExactFeed } from '../feed/reading/exact-feed.js';
import type { WholeFeed } from '../feed/reading/whole-feed.js';
import type { LogBuilder } from './log-builder.js';
import { LogFollower } from './log-follower.js';
import { LogKeys, newLogKey } from './log-keys.js';
import type { LogPublisher } from './log-publisher.js';

const KEYS = LogKeys.parse(newLogKey('example.org/log'));
const ORIGIN = KEYS.originOf('e');
const checkpoint = KEYS.sign(ORIGIN, checkpointText({ origin: ORIGIN, size: 3, root: Buffer.alloc(32) }));
const HEAD: LogHead = { id: 1, size: 3, untilUs: 7, checkpoint };

/** What a step asks for, where the clock is at an instant and may be in doubt. */
function followerAt(clockUs: number, { mayWrite, isDue }: { mayWrite: boolean; isDue: boolean }) {
  const asked = {
    head: jest.fn(() => Promise.resolve(HEAD)),
    clock: jest.fn(() => Promise.resolve({ clockUs, epoch: 'e' })),
    settle: jest.fn(() => Promise.resolve({ readPointUs: clockUs })),
    missing: jest.fn(() => Promise.resolve({ left: 0 })),
    publish: jest.fn(() => Promise.resolve()),
    assertHolds: jest.fn(() => Promise.resolve()),
    append: jest.fn(() => Promise.resolve<LogHead | undefined>(undefined)),
  };
  const follower = new LogFollower(
    KEYS,
    asked as unknown as LogReader,
    asked as unknown as ExactFeed,
    asked as unknown as WholeFeed,
    asked as unknown as LogBuilder,
    { ...asked, isDue: () => isDue } as unknown as LogPublisher,
    { mayWrite } as ClockMonitor,
  );
  const calls = (): string[] => Object.entries(asked).flatMap(([name, fn]) => fn.mock.calls.map(() => name));
  return { follower, asked, calls };
}

describe('a step of the log’s follower', () => {
  it.each([
    [8, false],
    [8, true],
    [7, true],
  ])('reads no state and signs nothing while the clock is in doubt: at %i, due: %s', async (clockUs, isDue) => {
    const doubted = followerAt(clockUs, { mayWrite: false, isDue });
    await doubted.follower.step();
    expect(doubted.calls()).toEqual(['head', 'clock']);
    const believed = followerAt(clockUs, { mayWrite: true, isDue });
    await believed.follower.step();
    expect(believed.calls().length).toBeGreaterThan(2);
  });

  it('looks at all that the head tells nothing of where another history was put into the database', async () => {
    const { follower, asked } = followerAt(8, { mayWrite: true, isDue: false });
    await follower.step();
    asked.clock.mockResolvedValue({ clockUs: 9, epoch: 'f' });
    await follower.step();
    expect(asked.missing.mock.calls).toEqual([
      [7, 8],
      [7, 8],
    ]);
  });

  it('leaves the log to another process for as long as that may wait for a witness, and takes over within three and a half seconds', async () => {
    let nowMs = 5_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { follower, asked } = followerAt(8, { mayWrite: true, isDue: true });
    const look = async (): Promise<unknown> => (nowMs += await follower.step());
    const grow = (size: number): unknown => asked.head.mockResolvedValue({ ...HEAD, size });
    await look();
    // Two seconds for a silent witness, and some milliseconds for all else.
    for (let size = 4; size < 100; size++) {
      grow(size);
      const grownMs = nowMs;
      while (nowMs < grownMs + 2_100) await look();
    }
    expect(asked.publish).toHaveBeenCalledTimes(1);
    grow(100);
    const lookedMs = nowMs;
    await look();
    // It appends once more when this one has just looked, and is killed.
    grow(101);
    let lastMs = nowMs;
    while (asked.publish.mock.calls.length === 1) {
      lastMs = nowMs;
      await look();
    }
    expect(lastMs - lookedMs).toBe(3_500);
    clock.mockRestore();
  });
});
