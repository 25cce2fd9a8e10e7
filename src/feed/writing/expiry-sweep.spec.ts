import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
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
});

it('sweeps receipts and transfer codes once an hour', async () => {
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  expect(forgetReceipts).toHaveBeenCalledTimes(3);
  expect(forgetCodes).toHaveBeenCalledTimes(3);
});

it('goes on after a failure', async () => {
  forgetReceipts.mockRejectedValueOnce(new Error('away'));
  await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(forgetReceipts).toHaveBeenCalledTimes(2);
});

it('ends with the service', () => {
  sweep.onApplicationShutdown();
  jest.advanceTimersByTime(2 * HOUR_MS);
  expect(forgetReceipts).not.toHaveBeenCalled();
});
