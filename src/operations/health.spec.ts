import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../database/database.js';
import type { DatabaseFindings, DatabaseInspector } from '../database/database-inspector.js';
import type { ClockMonitor } from '../feed/clock/clock-monitor.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import type { IndexFollower } from '../search/index-follower.js';
import { Health } from './health.js';

const STRICT = { needsBarrier: false, strict: true, summary: 'strict', warning: undefined };
const SOUND: DatabaseFindings = { pendingMigrations: [], durability: STRICT };

let findings: () => Promise<DatabaseFindings>;
let freeDisk: DatabaseInspector['freeDisk'];
let isAway: boolean;
let queries: number;
let wrongByMs: number;
let judged: boolean;
let trouble: string | undefined;
let builtBackToUs: number | undefined;
let health: Health;

const checked = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await health.check()).map((part) => [part.name, `${part.state}: ${part.description}`]));

beforeEach(() => {
  jest.useFakeTimers();
  findings = () => Promise.resolve(SOUND);
  freeDisk = () => Promise.resolve({ bytes: 1e12, share: 0.5 });
  [isAway, queries, wrongByMs, judged] = [false, 0, 0, true];
  [trouble, builtBackToUs] = [undefined, undefined];
  const inspector = { inspect: () => (queries++, findings()), freeDisk: () => freeDisk() };
  const database = {
    dialect: { name: 'MariaDB', describeFailure: (error: unknown) => (error as Error).message },
    get trouble() {
      return trouble;
    },
    writes: { refusal: undefined },
    get isAway() {
      return isAway;
    },
  };
  const index = {
    get builtBackToUs() {
      return builtBackToUs;
    },
  };
  const time = { wallMs: () => 1e12 + performance.now() + wrongByMs, monotonicMs: () => performance.now() };
  const clockMonitor = {
    get mayWrite() {
      return judged;
    },
  };
  health = new Health(
    database as unknown as Database,
    inspector as unknown as DatabaseInspector,
    new WallClock(time),
    clockMonitor as ClockMonitor,
    index as IndexFollower,
  );
});
afterEach(() => void jest.useRealTimers());

describe('health', () => {
  it.each([
    [{ ...STRICT, strict: false, summary: 'not strict' }, 'degraded: not strict'],
    [{ ...STRICT, needsBarrier: true, summary: 'strict by' }, 'ok: strict by'],
  ])('reports the durability of the database', async (durability, expected) => {
    findings = () => Promise.resolve({ ...SOUND, durability });
    expect((await checked())['durability']).toBe(expected);
  });

  it.each([
    [0.1, 'ok: ok'],
    [0.0999, 'degraded: only 9 % of the disk is free'],
    [undefined, undefined],
  ])('with a share of %s of the disk free', async (free, expected) => {
    freeDisk = () => Promise.resolve(free === undefined ? undefined : { bytes: 1e12, share: free });
    expect((await checked())['disk']).toBe(expected);
  });

  it('is degraded by a disk that cannot be read, without naming its path', async () => {
    freeDisk = () => Promise.reject(new Error('ENOENT /secret'));
    expect((await checked())['disk']).toBe('degraded: the free space cannot be read');
  });

  it('does not wait for a disk that hangs', async () => {
    freeDisk = () => new Promise(() => undefined);
    const answer = checked();
    await jest.advanceTimersByTimeAsync(999);
    expect((await answer)['disk']).toBe('degraded: the free space cannot be read');
  });

  it('is degraded by a step of the clock', async () => {
    wrongByMs = 5_000;
    expect((await checked())['clock']).toBe('degraded: the system time is off by 5000 ms');
  });

  it('is degraded until the clock has been compared with the database', async () => {
    judged = false;
    expect((await checked())['clock']).toBe('degraded: was not compared with the database yet');
  });

  it('is degraded, with the reason, while the database serves reads but refuses new connections', async () => {
    trouble = 'a limit is reached';
    expect((await checked())['database']).toBe('degraded: takes no new connection: a limit is reached');
  });

  it.each([
    [true, undefined, 'failed: is away: nothing listens there'],
    [false, undefined, 'failed: cannot be used for now: nothing listens there'],
    [false, new Error('it is in offline mode'), 'failed: cannot be used for now: it is in offline mode'],
  ])('says why the database fails (known to be away: %s, because of %s)', async (away, cause, expected) => {
    isAway = away;
    trouble = 'nothing listens there';
    findings = () => Promise.reject(new Error('503', { cause }));
    expect((await checked())['database']).toBe(expected);
  });

  it.each([
    [true, 'failed: is away'],
    [false, 'failed: cannot be used for now'],
  ])(
    'says that the database fails (known to be away: %s), without a reason that may contain SQL',
    async (away, expected) => {
      isAway = away;
      findings = () => Promise.reject(new Error('SELECT secret'));
      expect(await checked()).toMatchObject({ database: expected, clock: 'ok: ok', disk: 'ok: ok' });
    },
  );
});

describe('a database that does not answer', () => {
  beforeEach(() => void (findings = () => new Promise(() => undefined)));

  it('delays the check by less than a second', async () => {
    const answer = checked();
    await jest.advanceTimersByTimeAsync(999);
    expect((await answer)['database']).toBe('failed: does not answer in time');
  });

  it('gets no second query meanwhile', async () => {
    for (let i = 0; i < 3; i++) {
      void health.check();
      await jest.advanceTimersByTimeAsync(1_500);
    }
    expect(queries).toBe(1);
  });

  it('is queried again once it has answered', async () => {
    let answer!: (found: DatabaseFindings) => void;
    findings = () => new Promise((resolve) => (answer = resolve));
    void health.check();
    await jest.advanceTimersByTimeAsync(1_500);
    answer(SOUND);
    await jest.advanceTimersByTimeAsync(0);
    findings = () => Promise.resolve(SOUND);
    expect((await checked())['database']).toBe('ok: MariaDB');
    expect(queries).toBe(2);
  });
});

it('a search index that is being built is ok, with its progress', async () => {
  expect(await checked()).not.toHaveProperty('search');
  builtBackToUs = 1e15;
  await jest.advanceTimersByTimeAsync(1_000);
  expect((await checked())['search']).toBe(
    'ok: its index is being built, and has what has changed since 2001-09-09T01:46:40.000Z',
  );
});

describe('an answer of health', () => {
  it('is cached for a second', async () => {
    await Promise.all([health.check(), health.check()]);
    await jest.advanceTimersByTimeAsync(999);
    await health.check();
    expect(queries).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    await health.check();
    expect(queries).toBe(2);
  });
});
