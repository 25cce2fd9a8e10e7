import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ClockJudge } from '../../clock/clock-judge.js';
import type { Database } from '../../database/database.js';
import { logger } from '../../logging/logger.js';
import type { Ledger } from './ledger.js';
import { RetryableError } from './ledger-store.js';
import { TimeWitness } from './time-witness.js';

const MINUTE = 60_000;
const noteTime = jest.fn<Ledger['noteTime']>();
let judge: { mayWrite: boolean };
let writes: { refusal: string | undefined };
let witness: TimeWitness;

beforeEach(() => {
  jest.useFakeTimers();
  logger.level = 'silent';
  noteTime.mockReset().mockResolvedValue();
  judge = { mayWrite: true };
  writes = { refusal: undefined };
  const database = { writes } as unknown as Database;
  witness = new TimeWitness({ noteTime } as unknown as Ledger, judge as ClockJudge, database);
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
  judge.mayWrite = false;
  await jest.advanceTimersByTimeAsync(3 * MINUTE);
  expect(noteTime).not.toHaveBeenCalled();
  judge.mayWrite = true;
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
