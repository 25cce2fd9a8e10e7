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

/** The true time, and by how much the system's clock is wrong; in milliseconds. */
let trueMs: number;
let wrongByMs: number;
/** What the database knows; its own clock is true where it has one. */
let known: Omit<KnownTime, 'databaseUs'>;
let hasClock: boolean;
/** Whether it looks at its clock at the end of what a question takes, and not at the beginning. */
let answersLate: boolean;
/** What a question to the database takes; one is taken from the front each time. */
let slowness: (number | Error)[];
let clock: WallClock;
let judge: ClockMonitor;
let told: jest.Spied<typeof logger.error>;
let toldGood: jest.Spied<typeof logger.info>;

const us = (ms: number): number => ms * 1_000;

function start(): void {
  clock = new WallClock({ wallMs: () => trueMs + wrongByMs, monotonicMs: () => trueMs - BEGAN });
  judge = new ClockMonitor(clock, { read }, { jumpUs: us(DAY), stepUs: us(SECOND) }, new RegistryTime('Europe/Kyiv'));
}

async function read(): Promise<KnownTime> {
  const took = slowness.shift() ?? 2;
  if (took instanceof Error) throw took;
  const askedMs = trueMs;
  trueMs += took;
  return { ...known, databaseUs: hasClock ? us(answersLate ? trueMs : askedMs) : undefined };
}

async function judgedAfter(ms: number): Promise<boolean> {
  trueMs += ms;
  await judge.judge();
  return judge.mayWrite;
}

beforeEach(() => {
  [trueMs, wrongByMs, hasClock, answersLate, slowness] = [BEGAN, 0, false, false, []];
  known = { lastUs: us(BEGAN - HOUR), seenUs: 0, leadUs: 0 };
  told = jest.spyOn(logger, 'error').mockReturnValue();
  toldGood = jest.spyOn(logger, 'info').mockReturnValue();
  start();
});
afterEach(() => void jest.restoreAllMocks());

describe('the monitor of the clock', () => {
  it('lets nothing be written before it has judged', async () => {
    expect([judge.mayWrite, judge.doubt]).toEqual([false, undefined]);
    expect(await judgedAfter(0)).toBe(true);
    expect(told).not.toHaveBeenCalled();
    expect(toldGood).not.toHaveBeenCalled();
  });

  it('leaves its judgement as it is while the database is away', async () => {
    slowness = [new Error('away')];
    expect(await judgedAfter(0)).toBe(false);
    await judgedAfter(0);
    slowness = [new Error('away')];
    expect(await judgedAfter(0)).toBe(true);
  });

  it('doubts a clock that is twenty years ahead at start, and says once what to do', async () => {
    wrongByMs = YEARS_20;
    start();
    for (let i = 0; i < 3; i++) expect(await judgedAfter(SECOND)).toBe(false);
    expect(told).toHaveBeenCalledTimes(1);
    const [clocks, sentence] = told.mock.calls[0] as unknown as [Record<string, string>, string];
    expect(clocks['systemClock']).toMatch(/^2046-11-22/);
    expect(clocks['lastInstant']).toMatch(/^2026-11-22/);
    expect(clocks['bound']).toBe('24 hours');
    expect(sentence).toMatch(/in doubt: .*7305 days ahead.*nothing is written.*registry clock accept/);
    expect(judge.doubt).toMatch(/7305 days ahead/);
  });

  it('goes on when an operator has decided that it is right', async () => {
    known.lastUs = us(BEGAN - 3 * DAY);
    expect(await judgedAfter(0)).toBe(false);
    known.seenUs = us(trueMs);
    expect(await judgedAfter(SECOND)).toBe(true);
  });

  it('doubts a clock behind the last instant, and goes on when that is accepted', async () => {
    known.lastUs = us(BEGAN + YEARS_20);
    expect(await judgedAfter(0)).toBe(false);
    expect(judge.doubt).toMatch(/7304 days behind the last instant.*2046-11-22.*see "registry clock"/);
    Object.assign(known, { seenUs: us(trueMs), leadUs: known.lastUs - us(trueMs) });
    expect(await judgedAfter(SECOND)).toBe(true);
    known.lastUs += us(10 * SECOND);
    expect(await judgedAfter(SECOND)).toBe(false);
  });

  it('believes a registry that rests for a month, and one that runs for it', async () => {
    hasClock = true;
    known.lastUs = us(BEGAN - 30 * DAY);
    expect(await judgedAfter(0)).toBe(true);
    hasClock = false;
    for (let day = 0; day < 30; day++) expect(await judgedAfter(DAY / 2)).toBe(true);
  });
});

describe('the monitor of a clock that is set while the service runs', () => {
  beforeEach(() => judge.judge());

  it.each([HOUR, -10 * SECOND])('doubts it by %d ms until it is as before', async (ms) => {
    wrongByMs = ms;
    expect(await judgedAfter(SECOND)).toBe(false);
    expect(clock.nowUs()).toBe(us(trueMs));
    wrongByMs = 0;
    expect(await judgedAfter(SECOND)).toBe(true);
  });

  it('believes it at once where the server’s clock vouches for it: the machine had slept', async () => {
    hasClock = true;
    // The monotonic clock stands still meanwhile, so that only the wall clock seems to step.
    const asleep = clock.nowUs();
    wrongByMs = 3 * DAY;
    const read0 = read;
    judge = new ClockMonitor(
      clock,
      { read: async () => ({ ...(await read0()), databaseUs: us(trueMs + wrongByMs) }) },
      { jumpUs: us(DAY), stepUs: us(SECOND) },
      new RegistryTime('Europe/Kyiv'),
    );
    expect(await judgedAfter(0)).toBe(true);
    expect(clock.nowUs() - asleep).toBeGreaterThanOrEqual(us(3 * DAY));
  });

  it('doubts one that the server’s does not vouch for, for as long as it is so', async () => {
    hasClock = true;
    wrongByMs = HOUR;
    for (let minute = 0; minute < 10; minute++) expect(await judgedAfter(60 * SECOND)).toBe(false);
    expect(judge.doubt).toMatch(/60 minutes ahead of the database server's/);
  });
});

describe('the monitor on a machine that is busy', () => {
  it('does not doubt a clock because the database is slow', async () => {
    hasClock = true;
    for (const late of [false, true])
      for (const ms of [5_000, 20_000, 900]) {
        [answersLate, slowness] = [late, [ms]];
        expect(await judgedAfter(0)).toBe(true);
      }
  });

  it('does not doubt a clock for one reading that went wrong', async () => {
    await judgedAfter(0);
    // Stopped between reading the two clocks: they seem to differ by the stop.
    jest.spyOn(clock, 'stepMs').mockReturnValueOnce(5_000).mockReturnValueOnce(-5_000);
    expect(await judgedAfter(SECOND)).toBe(true);
    expect(told).not.toHaveBeenCalled();
  });

  it('follows no step on the word of an answer that took too long to tell the two apart', async () => {
    [hasClock, answersLate] = [true, true];
    await judgedAfter(0);
    slowness = [5_000, 5_000, 5_000];
    wrongByMs = 4 * SECOND;
    expect(await judgedAfter(0)).toBe(false);
    expect(clock.nowUs()).toBe(us(trueMs));
  });
});

describe('the monitor’s rounds', () => {
  afterEach(() => void jest.useRealTimers());

  it('ask the database every five seconds, and sooner while the clock is in doubt, until the end', async () => {
    jest.useFakeTimers();
    const judged = jest.spyOn(judge, 'judge');
    await judge.begin();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(judged).toHaveBeenCalledTimes(1);
    known.lastUs = us(trueMs + DAY);
    await jest.advanceTimersByTimeAsync(1);
    expect(judged).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(judged).toHaveBeenCalledTimes(4);
    judge.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(judged).toHaveBeenCalledTimes(4);
  });

  it('ask it at once when the clock was set', async () => {
    jest.useFakeTimers();
    await judge.begin();
    wrongByMs = HOUR;
    await jest.advanceTimersByTimeAsync(500);
    expect(judge.mayWrite).toBe(false);
  });
});
