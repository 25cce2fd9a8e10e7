import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Door } from './door.js';

describe('a door that lets two in', () => {
  let door: Door;
  let log: string[];
  const come = (name: string): (() => void) =>
    door.come(
      () => log.push(`${name} enters`),
      () => log.push(`${name} is refused`),
    );

  beforeEach(() => {
    jest.useFakeTimers();
    door = new Door(2, 500, 1_000);
    log = [];
  });
  afterEach(() => void jest.useRealTimers());

  it('lets two in at once and no third', () => {
    for (const name of ['a', 'b', 'c']) come(name);
    expect(log).toEqual(['a enters', 'b enters']);
  });

  it('lets one in for each that leaves, in the order of their coming', () => {
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    jest.advanceTimersByTime(400);
    door.leave();
    door.leave();
    expect(log.slice(2)).toEqual(['c enters', 'd enters']);
  });

  it('lets in who came last once the first has waited for half a second', () => {
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    jest.advanceTimersByTime(600);
    come('e');
    door.leave();
    door.leave();
    expect(log.slice(2)).toEqual(['e enters', 'd enters']);
  });

  it('counts those who left', () => {
    for (const name of ['a', 'b']) come(name);
    door.leave();
    come('c');
    come('d');
    expect(log).toEqual(['a enters', 'b enters', 'c enters']);
  });

  it('refuses who has waited a second, and nobody twice', () => {
    for (const name of ['a', 'b', 'c']) come(name);
    jest.advanceTimersByTime(600);
    come('d');
    jest.advanceTimersByTime(500);
    expect(log.slice(2)).toEqual(['c is refused']);
    jest.advanceTimersByTime(600);
    expect(log.slice(2)).toEqual(['c is refused', 'd is refused']);
    door.leave();
    expect(log).toHaveLength(4);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('lets nobody in who went away, and refuses nobody who did', () => {
    for (const name of ['a', 'b']) come(name);
    come('c')();
    come('d');
    door.leave();
    expect(log.slice(2)).toEqual(['d enters']);
    come('e')();
    jest.advanceTimersByTime(2_000);
    expect(log).toHaveLength(3);
  });
});
