import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../../platform/logging/logger.js';
import { Incident } from './incident.js';

describe('an incident', () => {
  let logged: unknown[];
  let trouble: Incident;

  beforeEach(() => {
    jest.useFakeTimers();
    logger.level = 'silent';
    logged = [];
    for (const level of ['warn', 'info'] as const)
      jest.spyOn(logger, level).mockImplementation((...line: unknown[]) => void logged.push([level, ...line]));
    trouble = new Incident('it begins', 'it is over');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('is logged once, with the first reason, and once when it is over', () => {
    trouble.report('it is away', { host: 'one' });
    trouble.report('it is full');
    expect(trouble.why).toBe('it is full');
    trouble.resolve({ host: 'two' });
    trouble.resolve();
    expect(logged).toEqual([
      ['warn', { host: 'one', reason: 'it is away' }, 'it begins'],
      ['info', { host: 'two' }, 'it is over'],
    ]);
    expect(trouble.why).toBeUndefined();
  });

  it('ends only after a second without the failure', () => {
    for (let i = 0; i < 5; i++) {
      trouble.report('it is away');
      jest.advanceTimersByTime(900);
      trouble.reportGone();
    }
    expect(logged).toHaveLength(1);
    jest.advanceTimersByTime(100);
    trouble.reportGone();
    expect(logged).toHaveLength(2);
  });
});
