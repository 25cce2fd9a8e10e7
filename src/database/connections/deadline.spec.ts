import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeadlineError, within } from './deadline.js';

describe('an answer with a deadline', () => {
  const giveUp = jest.fn();
  let answer: (text: string) => void;
  let answered: Promise<string>;

  beforeEach(() => {
    jest.useFakeTimers();
    giveUp.mockClear();
    answered = within(1_000, new Promise((resolve) => (answer = resolve)), giveUp);
    answered.catch(() => undefined);
  });
  afterEach(() => void jest.useRealTimers());

  it('is rejected after the deadline and 50 ms', async () => {
    jest.advanceTimersByTime(1_000);
    expect(giveUp).not.toHaveBeenCalled();
    jest.advanceTimersByTime(50);
    await expect(answered).rejects.toBeInstanceOf(DeadlineError);
    expect(giveUp).toHaveBeenCalledTimes(1);
  });

  it('has half of its time left after a pause of the process of any length', async () => {
    // Fires each due timer once, as after a pause.
    jest.runOnlyPendingTimers();
    jest.advanceTimersByTime(499);
    expect(giveUp).not.toHaveBeenCalled();
    answer('late');
    await expect(answered).resolves.toBe('late');
    expect(jest.getTimerCount()).toBe(0);
  });
});
