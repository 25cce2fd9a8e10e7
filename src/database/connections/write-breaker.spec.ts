import { beforeEach, describe, expect, it } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { WriteBreaker } from './write-breaker.js';

describe('writes that the database refuses', () => {
  let nowMs: number;
  let breaker: WriteBreaker;

  beforeEach(() => {
    logger.level = 'silent';
    nowMs = 0;
    breaker = new WriteBreaker(() => nowMs);
  });

  it('are rejected for a second, then one may try', () => {
    breaker.refused('its disk is full');
    expect(breaker.isOpen).toBe(true);
    nowMs = 1_000;
    expect(breaker.isOpen).toBe(false);
    breaker.trialStarted();
    expect(breaker.isOpen).toBe(true);
  });

  it('are allowed after a success; until then the reason is available', () => {
    breaker.refused('its disk is full');
    expect(breaker.refusal).toBe('its disk is full');
    breaker.succeeded();
    expect(breaker.refusal).toBeUndefined();
    expect(breaker.isOpen).toBe(false);
    breaker.trialStarted();
    expect(breaker.isOpen).toBe(false);
  });

  it('are rejected during a trial, and for a second after one without a result', () => {
    breaker.refused('its disk is full');
    nowMs = 1_000;
    breaker.trialStarted();
    nowMs = 7_000;
    expect(breaker.isOpen).toBe(true);
    breaker.trialInconclusive();
    nowMs = 7_900;
    expect(breaker.isOpen).toBe(true);
    nowMs = 8_000;
    expect(breaker.isOpen).toBe(false);
  });

  it('are not rejected for longer by the check of an earlier outcome', () => {
    breaker.refused('its disk is full');
    breaker.trialStarted();
    breaker.trialInconclusive();
    nowMs = 1_000;
    expect(breaker.isOpen).toBe(false);
  });

  it('are rejected after five failures in a row, and not after four', () => {
    for (let i = 0; i < 4; i++) breaker.failed('its disk is full');
    expect(breaker.isOpen).toBe(false);
    breaker.failed('its disk is full');
    expect(breaker.isOpen).toBe(true);
  });

  it('are rejected after failures over four seconds, however few', () => {
    breaker.failed('its tables are locked');
    nowMs = 3_999;
    breaker.failed('its tables are locked');
    expect(breaker.isOpen).toBe(false);
    nowMs = 4_000;
    breaker.failed('its tables are locked');
    expect(breaker.isOpen).toBe(true);
  });

  it('are counted from the first failure after a success', () => {
    breaker.failed('its tables are locked');
    nowMs = 3_000;
    breaker.succeeded();
    nowMs = 5_000;
    breaker.failed('its tables are locked');
    nowMs = 8_000;
    breaker.failed('its tables are locked');
    expect(breaker.isOpen).toBe(false);
  });
});
