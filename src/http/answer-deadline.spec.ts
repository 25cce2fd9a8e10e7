import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { beforeDeadline } from './answer-deadline.js';

/** After a pause of the process, timers run before pending answers are read. */
const GRACE_MS = 50;
const never = new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('counts the time already waited, and answers 503 after the deadline', async () => {
  const answer = beforeDeadline(TIME_BUDGETS_MS.answer - 1_000, never).catch(
    ({ status }: { status: number }) => status,
  );
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await Promise.race([answer, Promise.resolve('not yet')])).toBe('not yet');
  await jest.advanceTimersByTimeAsync(GRACE_MS);
  expect(await answer).toBe(503);
});

it('answers 503 at once if the deadline has passed', async () => {
  const answer = beforeDeadline(TIME_BUDGETS_MS.answer + 1_000, never).catch(
    ({ status }: { status: number }) => status,
  );
  await jest.advanceTimersByTimeAsync(2 * GRACE_MS);
  expect(await answer).toBe(503);
});

it('returns a result in time, and passes errors on', async () => {
  expect(await beforeDeadline(0, Promise.resolve('found'))).toBe('found');
  await expect(beforeDeadline(0, Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
});
