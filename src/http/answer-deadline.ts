import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { DeadlineError, within } from '../database/connections/deadline.js';
import { unavailable } from '../platform/errors/errors.js';

/**
 * Waits for `work` until the request's deadline.
 * @param waitedMs how long the request has waited already
 * @throws ApiError 503 if the work takes longer
 */
export async function beforeDeadline<T>(waitedMs: number, work: Promise<T>): Promise<T> {
  try {
    return await within(Math.max(0, TIME_BUDGETS_MS.answer - waitedMs), work, () => undefined);
  } catch (error) {
    throw error instanceof DeadlineError ? unavailable('deadline') : error;
  }
}
