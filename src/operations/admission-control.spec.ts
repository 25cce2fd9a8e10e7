import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AdmissionControl, type Arrival } from './admission-control.js';

describe('admission control with two slots', () => {
  let control: AdmissionControl;
  let log: string[];
  const enter = (name: string, client = 'one', more: Partial<Arrival> = {}): (() => void) =>
    control.enter(client, {
      weight: 1,
      admit: () => log.push(`${name} admitted`),
      refuse: () => log.push(`${name} refused`),
      ...more,
    });
  const release = (client = 'one', weight = 1): void => control.release(client, weight);

  beforeEach(() => {
    jest.useFakeTimers();
    control = new AdmissionControl(2, 500, 1_000);
    log = [];
  });
  afterEach(() => void jest.useRealTimers());

  it('admits one request for each released slot, in the order of arrival', () => {
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    jest.advanceTimersByTime(400);
    release();
    release();
    expect(log.slice(2)).toEqual(['c admitted', 'd admitted']);
  });

  it('admits the newest once the oldest has waited for half a second', () => {
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    jest.advanceTimersByTime(600);
    enter('e');
    release();
    release();
    expect(log.slice(2)).toEqual(['e admitted', 'd admitted']);
  });

  it('refuses a request that has waited a second, once', () => {
    for (const name of ['a', 'b', 'c']) enter(name);
    jest.advanceTimersByTime(600);
    enter('d');
    jest.advanceTimersByTime(500);
    expect(log.slice(2)).toEqual(['c refused']);
    jest.advanceTimersByTime(600);
    expect(log.slice(2)).toEqual(['c refused', 'd refused']);
    release();
    expect(log).toHaveLength(4);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('neither admits nor refuses a request that was cancelled', () => {
    for (const name of ['a', 'b']) enter(name);
    enter('c')();
    enter('d');
    release();
    expect(log.slice(2)).toEqual(['d admitted']);
    enter('e')();
    jest.advanceTimersByTime(2_000);
    expect(log).toHaveLength(3);
  });

  it('leaves a slot for another client, however many requests one client sends', () => {
    for (const name of ['a', 'b', 'c', 'd']) enter(name);
    enter('x', 'other');
    expect(log).toEqual(['a admitted', 'b admitted', 'x admitted']);
  });

  it('admits a request of the client that has the fewest slots', () => {
    for (const name of ['a', 'b', 'c']) enter(name);
    enter('x', 'other');
    enter('y', 'other');
    release('other');
    expect(log.slice(3)).toEqual(['y admitted']);
    release();
    expect(log.slice(4)).toEqual(['c admitted']);
  });

  it('admits nothing while one request has all slots', () => {
    enter('large', 'one', { weight: 2 });
    enter('a');
    expect(log).toEqual(['large admitted']);
    release('one', 2);
    expect(log.slice(1)).toEqual(['a admitted']);
  });

  it('admits thousands of requests that release their slots immediately', () => {
    for (const name of ['a', 'b']) enter(name);
    let admitted = 0;
    const admit = (): void => {
      admitted++;
      release();
    };
    for (let i = 0; i < 20_000; i++) enter('c', 'one', { admit });
    release();
    expect(admitted).toBe(20_000);
  });
});
