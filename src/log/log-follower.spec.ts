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

/** A follower that records its calls. */
function followerAt(clockUs: number, { mayWrite, isDue }: { mayWrite: boolean; isDue: boolean }) {
  const asked = {
    head: jest.fn(() => Promise.resolve(HEAD)),
    clock: jest.fn(() => Promise.resolve({ clockUs, epoch: 'e' })),
    settle: jest.fn(() => Promise.resolve({ readPointUs: clockUs })),
    missing: jest.fn(() => Promise.resolve({ remaining: 0 })),
    publish: jest.fn(() => Promise.resolve()),
    assertUnchanged: jest.fn(() => Promise.resolve()),
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
    const inDoubt = followerAt(clockUs, { mayWrite: false, isDue });
    await inDoubt.follower.step();
    expect(inDoubt.calls()).toEqual(['head', 'clock']);
    const trusted = followerAt(clockUs, { mayWrite: true, isDue });
    await trusted.follower.step();
    expect(trusted.calls().length).toBeGreaterThan(2);
  });

  it('reads all states after the head again once the epoch has changed', async () => {
    const { follower, asked } = followerAt(8, { mayWrite: true, isDue: false });
    await follower.step();
    asked.clock.mockResolvedValue({ clockUs: 9, epoch: 'f' });
    await follower.step();
    expect(asked.missing.mock.calls).toEqual([
      [7, 8],
      [7, 8],
    ]);
  });

  it('leaves the log to another active process, even one that waits for a witness, and takes over within 3.5 seconds', async () => {
    let nowMs = 5_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { follower, asked } = followerAt(8, { mayWrite: true, isDue: true });
    const step = async (): Promise<unknown> => (nowMs += await follower.step());
    const grow = (size: number): unknown => asked.head.mockResolvedValue({ ...HEAD, size });
    await step();
    // Two seconds for a silent witness, and some milliseconds for the rest.
    for (let size = 4; size < 100; size++) {
      grow(size);
      const grownMs = nowMs;
      while (nowMs < grownMs + 2_100) await step();
    }
    expect(asked.publish).toHaveBeenCalledTimes(1);
    grow(100);
    const checkedMs = nowMs;
    await step();
    // The other process appends once more just after this check, and is killed.
    grow(101);
    let lastMs = nowMs;
    while (asked.publish.mock.calls.length === 1) {
      lastMs = nowMs;
      await step();
    }
    expect(lastMs - checkedMs).toBe(3_500);
    clock.mockRestore();
  });
});
