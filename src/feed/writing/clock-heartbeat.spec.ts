import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ClockMonitor } from '../clock/clock-monitor.js';
import type { Database } from '../../database/database.js';
import { logger } from '../../platform/logging/logger.js';
import type { Ledger } from './ledger.js';
import { RetryableError } from './ledger-store.js';
import { ClockHeartbeat } from './clock-heartbeat.js';

const MINUTE = 60_000;
const noteTime = jest.fn<Ledger['noteTime']>();
let clockMonitor: { mayWrite: boolean };
let writes: { refusal: string | undefined };
let heartbeat: ClockHeartbeat;

beforeEach(() => {
  jest.useFakeTimers();
  logger.level = 'silent';
  noteTime.mockReset().mockResolvedValue();
  clockMonitor = { mayWrite: true };
  writes = { refusal: undefined };
  const database = { writes } as unknown as Database;
  heartbeat = new ClockHeartbeat({ noteTime } as unknown as Ledger, clockMonitor as ClockMonitor, database);
  heartbeat.onApplicationBootstrap();
});
afterEach(() => void jest.useRealTimers());

it('stores the time a minute after the start, and then once an hour', async () => {
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(59 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(2);
});

it('stores nothing while the clock is not trusted', async () => {
  clockMonitor.mayWrite = false;
  await jest.advanceTimersByTimeAsync(3 * MINUTE);
  expect(noteTime).not.toHaveBeenCalled();
  clockMonitor.mayWrite = true;
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
});

it('tries again a minute after a failure', async () => {
  noteTime.mockRejectedValueOnce(new Error('away'));
  await jest.advanceTimersByTimeAsync(2 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(2);
});

it('tries once a minute while the database refuses changes, and logs no warning', async () => {
  writes.refusal = 'its disk is full';
  noteTime.mockRejectedValue(new RetryableError());
  const warn = jest.spyOn(logger, 'warn');
  await jest.advanceTimersByTimeAsync(3 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(3);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
