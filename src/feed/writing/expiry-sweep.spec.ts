import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import type { WallClock } from '../clock/wall-clock.js';
import type { Ledger } from './ledger.js';
import { ExpirySweep } from './expiry-sweep.js';

const HOUR_MS = 3_600_000;
/** A transaction of the lane. @returns the number of removed rows */
const runBetweenBatches = jest.fn<() => Promise<number>>();
let sweep: ExpirySweep;

beforeEach(() => {
  jest.useFakeTimers();
  runBetweenBatches.mockReset().mockResolvedValue(0);
  const clock = { nowUs: () => 1 };
  sweep = new ExpirySweep({ runBetweenBatches } as unknown as Ledger, clock as WallClock);
  sweep.onApplicationBootstrap();
});
afterEach(() => {
  sweep.onApplicationShutdown();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it('sweeps receipts and transfer codes once an hour, in as many transactions as needed', async () => {
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  expect(runBetweenBatches).toHaveBeenCalledTimes(6);
  runBetweenBatches.mockResolvedValueOnce(500).mockResolvedValueOnce(500).mockResolvedValueOnce(499);
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(runBetweenBatches).toHaveBeenCalledTimes(10);
});

it('logs a failure once, and still sweeps the other table and later', async () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  runBetweenBatches.mockRejectedValueOnce(new Error('away'));
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(runBetweenBatches).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls).toEqual([[{ reason: 'away' }, 'expired receipts could not be removed']]);
  runBetweenBatches.mockResolvedValueOnce(0).mockRejectedValueOnce(new Error('gone'));
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(warn.mock.calls.slice(1)).toEqual([[{ reason: 'gone' }, 'expired transfer codes could not be removed']]);
});
