import { beforeEach, describe, expect, it } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { WriteBreaker } from './write-breaker.js';

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
