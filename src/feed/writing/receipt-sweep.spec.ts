import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Ledger } from './ledger.js';
import { ReceiptSweep } from './receipt-sweep.js';

const HOUR_MS = 3_600_000;
const forgetReceipts = jest.fn<() => Promise<void>>();
let sweep: ReceiptSweep;

beforeEach(() => {
  jest.useFakeTimers();
  forgetReceipts.mockReset().mockResolvedValue();
  sweep = new ReceiptSweep({ forgetReceipts } as unknown as Ledger);
  sweep.onApplicationBootstrap();
});
afterEach(() => {
  sweep.onApplicationShutdown();
  jest.useRealTimers();
});

it('sweeps once an hour', () => {
  jest.advanceTimersByTime(3 * HOUR_MS);
  expect(forgetReceipts).toHaveBeenCalledTimes(3);
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
