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
let witness: ClockHeartbeat;

beforeEach(() => {
  jest.useFakeTimers();
  logger.level = 'silent';
  noteTime.mockReset().mockResolvedValue();
  clockMonitor = { mayWrite: true };
  writes = { refusal: undefined };
  const database = { writes } as unknown as Database;
  witness = new ClockHeartbeat({ noteTime } as unknown as Ledger, clockMonitor as ClockMonitor, database);
  witness.onApplicationBootstrap();
});
afterEach(() => void jest.useRealTimers());

it('notes that the registry is at work a minute after its start, and then once an hour', async () => {
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(59 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(2);
});

it('notes nothing while the time is not believed', async () => {
  clockMonitor.mayWrite = false;
  await jest.advanceTimersByTimeAsync(3 * MINUTE);
  expect(noteTime).not.toHaveBeenCalled();
  clockMonitor.mayWrite = true;
  await jest.advanceTimersByTimeAsync(MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(1);
});

it('tries again after a minute where it could not', async () => {
  noteTime.mockRejectedValueOnce(new Error('away'));
  await jest.advanceTimersByTimeAsync(2 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(2);
});

it('tries once a minute while the database takes no changes, and says nothing of that', async () => {
  writes.refusal = 'its disk is full';
  noteTime.mockRejectedValue(new RetryableError());
  const warn = jest.spyOn(logger, 'warn');
  await jest.advanceTimersByTimeAsync(3 * MINUTE);
  expect(noteTime).toHaveBeenCalledTimes(3);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
