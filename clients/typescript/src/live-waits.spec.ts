import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveWaits } from './live-waits.js';

const PAUSE_MS = 300_000;
const HOUR_MS = 3_600_000;

describe('how the end of the feed is waited at', () => {
  let ms: number;
  let live: LiveWaits;

  /** Does what the turn says; the request ends after some time. @returns the turn, as rest and seconds */
  const turn = (afterMs: number, end: () => void): [number, number] => {
    const { restMs, seconds } = live.turn(PAUSE_MS);
    ms += restMs;
    live.begin();
    ms += afterMs;
    if (seconds > 0) end();
    return [restMs, seconds];
  };
  const held = (): [number, number] => turn(live.turn(PAUSE_MS).seconds * 1_000, () => live.answered(true, false));
  const empty = (afterMs: number): [number, number] => turn(afterMs, () => live.answered(true, false));
  const full = (afterMs: number): [number, number] => turn(afterMs, () => live.answered(false, false));
  const cut = (afterMs: number): [number, number] => turn(afterMs, () => live.cut());
  const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);

  beforeEach(() => {
    ms = 1_000_000;
    live = new LiveWaits(() => ms);
  });

  it('is by pauses where it answers at once, until it holds one', () => {
    expect(empty(20)).toEqual([0, 25]);
    expect(live.isLive).toBe(false);
    expect(times(3, () => empty(20))).toEqual(times(3, () => [PAUSE_MS, 25]));
    expect(full(20)).toEqual([PAUSE_MS, 25]);
    expect(full(2_000)).toEqual([PAUSE_MS, 25]);
    expect(held()).toEqual([0, 25]);
  });

  it('is by a request a moment after an empty answer that ended the connection: the registry was told to end', () => {
    expect(turn(20, () => live.answered(true, true))).toEqual([0, 25]);
    expect(held()).toEqual([1_980, 25]);
    expect(held()).toEqual([0, 25]);
  });

  it('is at most once a second where much changes', () => {
    expect(times(4, () => full(100))).toEqual([[0, 25], ...times(3, () => [900, 25])]);
    expect(full(5_000)).toEqual([900, 25]);
    expect(full(5_000)).toEqual([0, 25]);
  });

  it('is more and more seldom where a registry that held requests does so no more', () => {
    held();
    const rests = times(12, () => empty(0)).map(([restMs]) => restMs);
    expect(rests).toEqual([
      0,
      2_000,
      4_000,
      8_000,
      16_000,
      32_000,
      64_000,
      128_000,
      256_000,
      ...times(3, () => PAUSE_MS),
    ]);
    held();
    expect(held()).toEqual([0, 25]);
  });

  it('is not changed by one request that was cut: the registry was started again', () => {
    for (const end of [held, () => full(10_000)]) {
      expect(cut(10_000)).toEqual([0, 25]);
      expect(live.isLive).toBe(true);
      expect(end()).toEqual([0, 25]);
    }
    expect(held()).toEqual([0, 25]);
  });

  it('is by shorter requests where somebody in between cuts them, and by longer ones again after an hour', () => {
    expect([cut(10_000), cut(10_000), cut(10_000), cut(10_000)].map(([, seconds]) => seconds)).toEqual([
      25, 25, 12, 12,
    ]);
    expect(held()).toEqual([6_000, 6]);
    expect(held()).toEqual([0, 6]);
    ms += HOUR_MS;
    expect(held()).toEqual([0, 25]);
  });

  it('is not changed by one request that is refused', () => {
    held();
    expect(turn(0, () => live.refused())).toEqual([0, 25]);
    expect(live.isLive).toBe(true);
    expect(held()).toEqual([2_000, 25]);
    expect(held()).toEqual([0, 25]);
  });

  it('is more and more seldom, up to once a minute, where each is refused, and of the same length', () => {
    held();
    const turns = times(9, () => turn(0, () => live.refused()));
    expect(turns.at(-1)).toEqual([60_000, 25]);
    expect(held()).toEqual([60_000, 25]);
    expect(held()).toEqual([0, 25]);
  });

  it('is never more often than a second, nor than the pause where that is shorter, whatever happens', () => {
    const ends = [() => live.answered(true, false), () => live.answered(false, false), () => live.cut(), () => live.refused()]; // prettier-ignore
    for (let seed = 1; seed < 2_000; seed++) {
      const before = ms;
      const random = Math.imul(seed, 2_654_435_761) >>> 8;
      turn(0, ends[random % ends.length] as () => void);
      if (seed > 1) expect(ms - before).toBeGreaterThanOrEqual(1_000);
    }
    expect(live.turn(50).restMs).toBeLessThanOrEqual(50);
  });
});
