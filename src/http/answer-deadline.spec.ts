import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { beforeDeadline } from './answer-deadline.js';

/** Timers run before the answers of a process that has paused are read. */
const GRACE_MS = 50;
const never = new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('counts what the request has waited already, and answers 503 after that', async () => {
  const answer = beforeDeadline(TIME_BUDGETS_MS.answer - 1_000, never).catch(
    ({ status }: { status: number }) => status,
  );
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await Promise.race([answer, Promise.resolve('not yet')])).toBe('not yet');
  await jest.advanceTimersByTimeAsync(GRACE_MS);
  expect(await answer).toBe(503);
});

it('answers 503 soon where the time is over already', async () => {
  const answer = beforeDeadline(TIME_BUDGETS_MS.answer + 1_000, never).catch(
    ({ status }: { status: number }) => status,
  );
  await jest.advanceTimersByTimeAsync(2 * GRACE_MS);
  expect(await answer).toBe(503);
});

it('gives what comes in time, and passes its errors on', async () => {
  expect(await beforeDeadline(0, Promise.resolve('found'))).toBe('found');
  await expect(beforeDeadline(0, Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
});
