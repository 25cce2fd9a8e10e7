import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Requester } from './semaphore.js';
import { SingleFlight, SingleFlights } from './single-flight.js';

interface Begun {
  resolve(value: number): void;
  reject(error: Error): void;
}

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
});

describe('shared pages', () => {
  let pages: SingleFlights<number>;
  /** The readings that have begun, in their order; each ends when it is told. */
  let begun: { key: string; all: Requester; end: () => void; fail: () => void }[];

  beforeEach(() => {
    pages = new SingleFlights();
    begun = [];
  });

  const read = (key: string, isGone = (): boolean => false): Promise<number> =>
    pages.read(
      key,
      (all) =>
        new Promise((resolve, reject) => {
          const number = begun.length + 1;
          const end = (): void => resolve(number);
          begun.push({ key, all, end, fail: () => reject(new Error(`reading ${number}`)) });
        }),
      { isGone },
    );

  const end = async (place: number): Promise<void> => {
    begun[place]?.end();
    await new Promise((resolve) => void setImmediate(resolve));
  };

  it('are read once for all who ask while another reading of the same is under way', async () => {
    const answers = [read('a'), read('a'), read('a')];
    await end(0);
    await end(1);
    expect(await Promise.all(answers)).toEqual([1, 2, 2]);
    expect(begun).toHaveLength(2);
  });

  it('are never older than the question', async () => {
    const first = read('a');
    const second = read('a');
    await end(0);
    expect(await first).toBe(1);
    const third = read('a');
    await end(1);
    expect(await second).toBe(2);
    await end(2);
    expect(await third).toBe(3);
  });
});
