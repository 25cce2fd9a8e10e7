import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import type { Ledger } from './ledger.js';
import { ExpirySweep } from './expiry-sweep.js';

const HOUR_MS = 3_600_000;
const forgetReceipts = jest.fn<() => Promise<void>>();
const forgetCodes = jest.fn<() => Promise<void>>();
let sweep: ExpirySweep;

beforeEach(() => {
  jest.useFakeTimers();
  forgetReceipts.mockReset().mockResolvedValue();
  forgetCodes.mockReset().mockResolvedValue();
  sweep = new ExpirySweep({ forgetReceipts, forgetCodes } as unknown as Ledger);
  sweep.onApplicationBootstrap();
});
afterEach(() => {
  sweep.onApplicationShutdown();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it('sweeps receipts and transfer codes once an hour', async () => {
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  expect(forgetReceipts).toHaveBeenCalledTimes(3);
  expect(forgetCodes).toHaveBeenCalledTimes(3);
});

it('goes on after a failure, which costs the other part nothing and is logged once', async () => {
  const warn = jest.spyOn(logger, 'warn').mockReturnValue();
  forgetReceipts.mockRejectedValueOnce(new Error('away'));
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(forgetCodes).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls).toEqual([[{ reason: 'away' }, 'expired receipts could not be removed']]);
  forgetCodes.mockRejectedValueOnce(new Error('gone'));
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect([forgetReceipts.mock.calls.length, forgetCodes.mock.calls.length]).toEqual([2, 2]);
  expect(warn.mock.calls.slice(1)).toEqual([[{ reason: 'gone' }, 'expired transfer codes could not be removed']]);
});
