import { beforeEach, describe, expect, it } from '@jest/globals';
import { WallClock } from './wall-clock.js';

const MINUTE = 60_000;
let wall: number;
let monotonic: number;
let clock: WallClock;

/** Advances both clocks. */
function pass(ms: number): void {
  wall += ms;
  monotonic += ms;
}

const nowMs = (): number => clock.nowUs() / 1_000;

beforeEach(() => {
  wall = 1_700_000_000_000;
  monotonic = 5;
  clock = new WallClock({ wallMs: () => wall, monotonicMs: () => monotonic });
});

describe('the wall clock', () => {
  it('is the system’s time in microseconds', () => {
    pass(0.25);
    expect(clock.nowUs()).toBe(1_700_000_000_000_250);
  });

  it.each([500, -500])('follows a deviation of %d ms at once', (ms) => {
    wall += ms;
    expect(nowMs()).toBe(wall);
    expect(clock.stepMs()).toBe(0);
  });

  it.each([0.0005, -0.0005])('follows a drift of %d of the time for a day, and sees no step in it', (drift) => {
    for (let minute = 0; minute < 24 * 60; minute++) {
      pass(MINUTE);
      wall += MINUTE * drift;
      expect(Math.abs(nowMs() - wall)).toBeLessThanOrEqual(3);
      expect(clock.stepMs()).toBe(0);
    }
  });

  it('does not chase the noise between two clocks', () => {
    wall += 2;
    expect(nowMs()).toBe(wall - 2);
  });

  it.each([60 * MINUTE, -60 * MINUTE])('does not follow a step of %d ms, and says so', (ms) => {
    wall += ms;
    expect(nowMs()).toBe(wall - ms);
    expect(clock.stepMs()).toBe(ms);
  });

  it('follows a step that lasts for five minutes', () => {
    wall += 60 * MINUTE;
    clock.nowUs();
    pass(5 * MINUTE - 1);
    expect(nowMs()).toBe(wall - 60 * MINUTE);
    pass(1);
    clock.nowUs();
    expect(nowMs()).toBe(wall);
    expect(clock.stepMs()).toBe(0);
  });

  it('follows a step at once on `adopt`, and always reports the system’s time', () => {
    wall += 60 * MINUTE;
    clock.nowUs();
    expect(clock.systemUs()).toBe(wall * 1_000);
    clock.adopt();
    expect([nowMs(), clock.stepMs()]).toEqual([wall, 0]);
  });

  it('restarts the five minutes at the next step', () => {
    wall += 60 * MINUTE;
    clock.nowUs();
    pass(4 * MINUTE);
    wall += 60 * MINUTE;
    clock.nowUs();
    pass(4 * MINUTE);
    expect(nowMs()).toBe(wall - 120 * MINUTE);
  });
});
