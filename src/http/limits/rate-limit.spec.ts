import { beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimit } from './rate-limit.js';

let now: number;
const limit = (perSecond: number, burst: number): RateLimit => new RateLimit({ perSecond, burst }, () => now);
const takeMany = (bucket: RateLimit, count: number): boolean[] =>
  Array.from({ length: count }, () => bucket.spend('a').allowed);

beforeEach(() => {
  now = 1_000_000;
});

describe('a rate limit', () => {
  it('never saves more than a burst', () => {
    const bucket = limit(10, 3);
    now += 3_600_000;
    expect(takeMany(bucket, 4)).toEqual([true, true, true, false]);
  });

  it.each([
    [7, 20],
    [0.5, 10],
    [333, 1],
  ])('of %d a second lets through that many, exact to 1 %%', (perSecond, burst) => {
    // prettier-ignore
    const bucket = limit(perSecond, burst);
    takeMany(bucket, burst);
    const seconds = 100 / Math.min(1, perSecond);
    let allowed = 0;
    for (let step = 0; step < seconds * perSecond * 10; step++) {
      now += 100 / perSecond;
      if (bucket.spend('a').allowed) allowed++;
    }
    expect(Math.abs(allowed / (seconds * perSecond) - 1)).toBeLessThanOrEqual(0.01);
  });

  it('gives the remaining tokens, the time until all are back, and until the next one', () => {
    const bucket = limit(0.5, 3);
    expect(bucket.spend('a')).toEqual({ allowed: true, remaining: 2, resetSeconds: 2, retrySeconds: 0 });
    expect(bucket.spend('a')).toEqual({ allowed: true, remaining: 1, resetSeconds: 4, retrySeconds: 0 });
    expect(bucket.spend('a')).toEqual({ allowed: true, remaining: 0, resetSeconds: 6, retrySeconds: 0 });
    expect(bucket.spend('a')).toEqual({ allowed: false, remaining: 0, resetSeconds: 6, retrySeconds: 2 });
  });

  it('allows a client that waits for `retrySeconds`', () => {
    const bucket = limit(0.3, 2);
    takeMany(bucket, 2);
    now += bucket.spend('a').retrySeconds * 1_000;
    expect(bucket.spend('a').allowed).toBe(true);
  });

  it('makes later requests wait for charged tokens', () => {
    const bucket = limit(1, 2);
    expect(takeMany(bucket, 1)).toEqual([true]);
    bucket.charge('a', 4);
    expect(bucket.spend('a')).toMatchObject({ allowed: false, remaining: 0, retrySeconds: 4 });
    now += 4_000;
    expect(takeMany(bucket, 2)).toEqual([true, false]);
  });

  it('charges nothing for refusals', () => {
    const bucket = limit(1, 1);
    takeMany(bucket, 50);
    now += 1_000;
    expect(bucket.spend('a').allowed).toBe(true);
  });
});
