import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleFlight } from './single-flight.js';

interface Begun {
  resolve(value: number): void;
  reject(error: Error): void;
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('a shared call', () => {
  let begun: Begun[];
  let shared: SingleFlight<number>;

  beforeEach(() => {
    begun = [];
    shared = new SingleFlight(() => new Promise((resolve, reject) => begun.push({ resolve, reject })));
  });

  it('begins at once', () => {
    void shared.run();
    expect(begun).toHaveLength(1);
  });

  it('is never the one that was under way already', async () => {
    const first = shared.run();
    const second = shared.run();
    begun[0]?.resolve(1);
    expect(await first).toBe(1);
    await turn();
    begun[1]?.resolve(2);
    expect(await second).toBe(2);
  });

  it('is one for all who wait for the next', async () => {
    void shared.run();
    const waiting = [shared.run(), shared.run(), shared.run()];
    begun[0]?.resolve(1);
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve(2);
    expect(await Promise.all(waiting)).toEqual([2, 2, 2]);
  });

  it('runs one at a time, for as long as somebody comes', async () => {
    const answers: Promise<number>[] = [shared.run()];
    for (let i = 0; i < 5; i++) {
      answers.push(shared.run());
      await turn();
      expect(begun).toHaveLength(i + 1);
      begun[i]?.resolve(i);
      await turn();
    }
    begun[5]?.resolve(5);
    expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('that fails, fails for those who shared it only', async () => {
    const first = shared.run();
    const second = shared.run();
    begun[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve(2);
    await expect(second).resolves.toBe(2);
  });

  it('begins anew after a failure', async () => {
    const first = shared.run();
    begun[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    const second = shared.run();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});
