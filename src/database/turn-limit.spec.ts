import { describe, expect, it } from '@jest/globals';
import { TurnLimit } from './turn-limit.js';

describe('pieces of work that hold the event loop', () => {
  it('leave turns between them for connections that come', async () => {
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const limit = new TurnLimit(1);
    const beganIn: number[] = [];
    const hold = (): Promise<void> => {
      beganIn.push(turns);
      for (const until = performance.now() + 5; performance.now() < until;);
      return Promise.resolve();
    };
    await Promise.all([limit.run(hold), limit.run(hold)]);
    isOver = true;
    const [first, second] = beganIn as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(7);
  });
});
