import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { Incident } from './incident.js';

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
