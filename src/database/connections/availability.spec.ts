import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { DeadlineError, Incident, within, WriteBreaker } from './availability.js';

describe('an answer that is waited for', () => {
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

  it('is given up at its deadline', async () => {
    jest.advanceTimersByTime(1_000);
    expect(giveUp).not.toHaveBeenCalled();
    jest.advanceTimersByTime(50);
    await expect(answered).rejects.toBeInstanceOf(DeadlineError);
    expect(giveUp).toHaveBeenCalledTimes(1);
  });

  it('has half of its time left after a pause of the whole process, however long that was', async () => {
    // What is due is done, once.
    jest.runOnlyPendingTimers();
    jest.advanceTimersByTime(499);
    expect(giveUp).not.toHaveBeenCalled();
    answer('late');
    await expect(answered).resolves.toBe('late');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a trouble of the database', () => {
  let told: unknown[];
  let trouble: Incident;

  beforeEach(() => {
    jest.useFakeTimers();
    logger.level = 'silent';
    told = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void told.push([level, ...line]));
    trouble = new Incident('it begins', 'it is over');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('is told once, with the first reason, and once that it is over', () => {
    trouble.seen('it is away', { host: 'one' });
    trouble.seen('it is full');
    expect(trouble.why).toBe('it is full');
    trouble.over({ host: 'two' });
    trouble.over();
    expect(told).toEqual([
      ['warn', { host: 'one', reason: 'it is away' }, 'it begins'],
      ['info', { host: 'two' }, 'it is over'],
    ]);
    expect(trouble.why).toBeUndefined();
  });

  it('that comes and goes is one, until it was not seen for a second', () => {
    for (let i = 0; i < 5; i++) {
      trouble.seen('it is away');
      jest.advanceTimersByTime(900);
      trouble.notSeen();
    }
    expect(told).toHaveLength(1);
    jest.advanceTimersByTime(100);
    trouble.notSeen();
    expect(told).toHaveLength(2);
  });
});

describe('writes that the database does not take', () => {
  let nowMs: number;
  let breaker: WriteBreaker;

  beforeEach(() => {
    logger.level = 'silent';
    nowMs = 0;
    breaker = new WriteBreaker(() => nowMs);
  });

  it('are kept away for a second, then one may try', () => {
    breaker.refused('its disk is full');
    expect(breaker.isOpen).toBe(true);
    nowMs = 1_000;
    expect(breaker.isOpen).toBe(false);
    breaker.tried();
    expect(breaker.isOpen).toBe(true);
  });

  it('are let in once one was taken; until then it is known why they were not', () => {
    breaker.refused('its disk is full');
    expect(breaker.refusal).toBe('its disk is full');
    breaker.succeeded();
    expect(breaker.refusal).toBeUndefined();
    expect(breaker.isOpen).toBe(false);
    breaker.tried();
    expect(breaker.isOpen).toBe(false);
  });

  it('are kept away for as long as a trial takes, and a second longer where it has shown nothing', () => {
    breaker.refused('its disk is full');
    nowMs = 1_000;
    breaker.tried();
    nowMs = 7_000;
    expect(breaker.isOpen).toBe(true);
    breaker.gaveUp();
    nowMs = 7_900;
    expect(breaker.isOpen).toBe(true);
    nowMs = 8_000;
    expect(breaker.isOpen).toBe(false);
  });

  it('are not kept away for longer by a look at what became of an earlier one', () => {
    breaker.refused('its disk is full');
    breaker.tried();
    breaker.gaveUp();
    nowMs = 1_000;
    expect(breaker.isOpen).toBe(false);
  });

  it('are kept away while somebody looks what became of an earlier one', () => {
    breaker.refused('it does not answer in time');
    nowMs = 500;
    breaker.tried();
    nowMs = 2_500;
    expect(breaker.isOpen).toBe(true);
    breaker.gaveUp();
    nowMs = 3_500;
    expect(breaker.isOpen).toBe(false);
  });

  it('are kept away after five failures in a row, and not after four', () => {
    for (let i = 0; i < 4; i++) breaker.failed('its disk is full');
    expect(breaker.isOpen).toBe(false);
    breaker.failed('its disk is full');
    expect(breaker.isOpen).toBe(true);
  });

  it('are kept away after failures for four seconds, however few', () => {
    breaker.failed('somebody holds its tables');
    nowMs = 3_999;
    breaker.failed('somebody holds its tables');
    expect(breaker.isOpen).toBe(false);
    nowMs = 4_000;
    breaker.failed('somebody holds its tables');
    expect(breaker.isOpen).toBe(true);
  });

  it('are counted from the first failure after one that was taken', () => {
    breaker.failed('somebody holds its tables');
    nowMs = 3_000;
    breaker.succeeded();
    nowMs = 5_000;
    breaker.failed('somebody holds its tables');
    nowMs = 8_000;
    breaker.failed('somebody holds its tables');
    expect(breaker.isOpen).toBe(false);
  });
});
