import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
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

  it('is never one that was already running', async () => {
    const first = shared.run();
    const second = shared.run();
    begun[0]?.resolve(1);
    expect(await first).toBe(1);
    await turn();
    begun[1]?.resolve(2);
    expect(await second).toBe(2);
  });

  it('is one for all callers that wait for the next', async () => {
    void shared.run();
    const waiting = [shared.run(), shared.run(), shared.run()];
    begun[0]?.resolve(1);
    await turn();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve(2);
    expect(await Promise.all(waiting)).toEqual([2, 2, 2]);
  });

  it('fails only for the callers that shared it', async () => {
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

it('a page is read once for concurrent requests, and never before a request arrived', async () => {
  const pages = new SingleFlights<number>();
  const ends: ((page: number) => void)[] = [];
  const read = (): Promise<number> => pages.read('a', () => new Promise((resolve) => ends.push(resolve)));
  const end = async (page: number): Promise<void> => {
    ends[page]?.(page);
    await turn();
  };
  const [first, second, third] = [read(), read(), read()];
  await end(0);
  expect(await first).toBe(0);
  const fourth = read();
  await end(1);
  expect(await Promise.all([second, third])).toEqual([1, 1]);
  await end(2);
  expect([await fourth, ends.length]).toEqual([2, 3]);
});
