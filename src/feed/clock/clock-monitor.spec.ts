import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KnownTime } from '../../database/repositories/clock-repository.js';
import { logger } from '../../platform/logging/logger.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { ClockMonitor } from './clock-monitor.js';
import { WallClock } from './wall-clock.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const YEARS_20 = 7_305 * DAY;
const BEGAN = Date.UTC(2026, 10, 22, 12);

/** True time and the error of the system's clock, in milliseconds. */
let trueMs: number;
let wrongByMs: number;
/** The database's answer; its own clock, if any, is right. */
let known: Omit<KnownTime, 'databaseUs'>;
let hasClock: boolean;
/** Whether the database reads its clock at the end of a query instead of the beginning. */
let answersLate: boolean;
/** Durations in milliseconds, or failures, of the next queries. */
let queries: (number | Error)[];
let clock: WallClock;
let monitor: ClockMonitor;
let loggedErrors: jest.Spied<typeof logger.error>;
let loggedInfos: jest.Spied<typeof logger.info>;

const us = (ms: number): number => ms * 1_000;

function start(): void {
  clock = new WallClock({ wallMs: () => trueMs + wrongByMs, monotonicMs: () => trueMs - BEGAN });
  monitor = new ClockMonitor(clock, { read }, { jumpUs: us(DAY), stepUs: us(SECOND) }, new RegistryTime('Europe/Kyiv'));
}

async function read(): Promise<KnownTime> {
  const took = queries.shift() ?? 2;
  if (took instanceof Error) throw took;
  const askedMs = trueMs;
  trueMs += took;
  return { ...known, databaseUs: hasClock ? us(answersLate ? trueMs : askedMs) : undefined };
}

async function isTrustedAfter(ms: number): Promise<boolean> {
  trueMs += ms;
  await monitor.compare();
  return monitor.mayWrite;
}

beforeEach(() => {
  [trueMs, wrongByMs, hasClock, answersLate, queries] = [BEGAN, 0, false, false, []];
  known = { lastUs: us(BEGAN - HOUR), seenUs: 0, leadUs: 0 };
  loggedErrors = jest.spyOn(logger, 'error').mockReturnValue();
  loggedInfos = jest.spyOn(logger, 'info').mockReturnValue();
  start();
});
afterEach(() => void jest.restoreAllMocks());

describe('the monitor of the clock', () => {
  it('permits no writes before the first comparison', async () => {
    expect([monitor.mayWrite, monitor.doubt]).toEqual([false, undefined]);
    expect(await isTrustedAfter(0)).toBe(true);
    expect(loggedErrors).not.toHaveBeenCalled();
    expect(loggedInfos).not.toHaveBeenCalled();
  });

  it('keeps the last result while the database is away', async () => {
    queries = [new Error('away')];
    expect(await isTrustedAfter(0)).toBe(false);
    await isTrustedAfter(0);
    queries = [new Error('away')];
    expect(await isTrustedAfter(0)).toBe(true);
  });

  it('doubts a clock that is twenty years ahead at start, and says once what to do', async () => {
    wrongByMs = YEARS_20;
    start();
    for (let i = 0; i < 3; i++) expect(await isTrustedAfter(SECOND)).toBe(false);
    expect(loggedErrors).toHaveBeenCalledTimes(1);
    const [clocks, sentence] = loggedErrors.mock.calls[0] as unknown as [Record<string, string>, string];
    expect(clocks['systemClock']).toMatch(/^2046-11-22/);
    expect(clocks['lastInstant']).toMatch(/^2026-11-22/);
    expect(clocks['bound']).toBe('24 hours');
    expect(sentence).toMatch(/in doubt: .*7305 days ahead.*nothing is written.*registry clock accept/);
    expect(monitor.doubt).toMatch(/7305 days ahead/);
  });

  it('trusts the clock again once an operator has accepted it', async () => {
    known.lastUs = us(BEGAN - 3 * DAY);
    expect(await isTrustedAfter(0)).toBe(false);
    known.seenUs = us(trueMs);
    expect(await isTrustedAfter(SECOND)).toBe(true);
  });

  it('doubts a clock behind the last instant until an operator accepts the lead', async () => {
    known.lastUs = us(BEGAN + YEARS_20);
    expect(await isTrustedAfter(0)).toBe(false);
    expect(monitor.doubt).toMatch(/7304 days behind the last instant.*2046-11-22.*see "registry clock"/);
    Object.assign(known, { seenUs: us(trueMs), leadUs: known.lastUs - us(trueMs) });
    expect(await isTrustedAfter(SECOND)).toBe(true);
    known.lastUs += us(10 * SECOND);
    expect(await isTrustedAfter(SECOND)).toBe(false);
  });

  it('trusts the clock after a month without changes, stopped or running', async () => {
    hasClock = true;
    known.lastUs = us(BEGAN - 30 * DAY);
    expect(await isTrustedAfter(0)).toBe(true);
    hasClock = false;
    for (let day = 0; day < 30; day++) expect(await isTrustedAfter(DAY / 2)).toBe(true);
  });
});

describe('the monitor of a clock that is set while the service runs', () => {
  beforeEach(() => monitor.compare());

  it.each([HOUR, -10 * SECOND])('doubts it after a step of %d ms until the step is undone', async (ms) => {
    wrongByMs = ms;
    expect(await isTrustedAfter(SECOND)).toBe(false);
    expect(clock.nowUs()).toBe(us(trueMs));
    wrongByMs = 0;
    expect(await isTrustedAfter(SECOND)).toBe(true);
  });

  it('trusts it at once if the server’s clock confirms it, as after the machine was suspended', async () => {
    hasClock = true;
    // The monotonic clock stands still meanwhile, so that only the wall clock seems to step.
    const asleep = clock.nowUs();
    wrongByMs = 3 * DAY;
    const read0 = read;
    monitor = new ClockMonitor(
      clock,
      { read: async () => ({ ...(await read0()), databaseUs: us(trueMs + wrongByMs) }) },
      { jumpUs: us(DAY), stepUs: us(SECOND) },
      new RegistryTime('Europe/Kyiv'),
    );
    expect(await isTrustedAfter(0)).toBe(true);
    expect(clock.nowUs() - asleep).toBeGreaterThanOrEqual(us(3 * DAY));
  });

  it('doubts it for as long as the server’s clock disagrees', async () => {
    hasClock = true;
    wrongByMs = HOUR;
    for (let minute = 0; minute < 10; minute++) expect(await isTrustedAfter(60 * SECOND)).toBe(false);
    expect(monitor.doubt).toMatch(/60 minutes ahead of the database server's/);
  });
});

describe('the monitor on a machine that is busy', () => {
  it('does not doubt a clock because the database is slow', async () => {
    hasClock = true;
    for (const late of [false, true])
      for (const ms of [5_000, 20_000, 900]) {
        [answersLate, queries] = [late, [ms]];
        expect(await isTrustedAfter(0)).toBe(true);
      }
  });

  it('does not doubt a clock for one wrong reading', async () => {
    await isTrustedAfter(0);
    // Stopped between reading the two clocks: they seem to differ by the stop.
    jest.spyOn(clock, 'stepMs').mockReturnValueOnce(5_000).mockReturnValueOnce(-5_000);
    expect(await isTrustedAfter(SECOND)).toBe(true);
    expect(loggedErrors).not.toHaveBeenCalled();
  });

  it('does not follow a step if the database answered too slowly to distinguish the two clocks', async () => {
    [hasClock, answersLate] = [true, true];
    await isTrustedAfter(0);
    queries = [5_000, 5_000, 5_000];
    wrongByMs = 4 * SECOND;
    expect(await isTrustedAfter(0)).toBe(false);
    expect(clock.nowUs()).toBe(us(trueMs));
  });
});

describe('the monitor', () => {
  afterEach(() => void jest.useRealTimers());

  it('queries the database every five seconds, and more often while the clock is in doubt, until shutdown', async () => {
    jest.useFakeTimers();
    const compared = jest.spyOn(monitor, 'compare');
    await monitor.begin();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(compared).toHaveBeenCalledTimes(1);
    known.lastUs = us(trueMs + DAY);
    await jest.advanceTimersByTimeAsync(1);
    expect(compared).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(compared).toHaveBeenCalledTimes(4);
    monitor.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(compared).toHaveBeenCalledTimes(4);
  });

  it('queries it at once after the clock was set', async () => {
    jest.useFakeTimers();
    await monitor.begin();
    wrongByMs = HOUR;
    await jest.advanceTimersByTimeAsync(500);
    expect(monitor.mayWrite).toBe(false);
  });
});
