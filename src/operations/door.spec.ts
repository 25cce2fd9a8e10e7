import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Arrival, Door } from './door.js';

describe('a door that lets two in', () => {
  let door: Door;
  let log: string[];
  const come = (name: string, party = 'one', more: Partial<Arrival> = {}): (() => void) =>
    door.come(party, {
      enter: () => log.push(`${name} enters`),
      refuse: () => log.push(`${name} is refused`),
      ...more,
    });

  beforeEach(() => {
    jest.useFakeTimers();
    door = new Door(2, 500, 1_000);
    log = [];
  });
  afterEach(() => void jest.useRealTimers());

  it('lets one in for each that leaves, in the order of their coming', () => {
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    jest.advanceTimersByTime(400);
    door.leave('one');
    door.leave('one');
    expect(log.slice(2)).toEqual(['c enters', 'd enters']);
  });

  it('lets in who came last once the first has waited for half a second', () => {
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    jest.advanceTimersByTime(600);
    come('e');
    door.leave('one');
    door.leave('one');
    expect(log.slice(2)).toEqual(['e enters', 'd enters']);
  });

  it('refuses who has waited a second, and nobody twice', () => {
    for (const name of ['a', 'b', 'c']) come(name);
    jest.advanceTimersByTime(600);
    come('d');
    jest.advanceTimersByTime(500);
    expect(log.slice(2)).toEqual(['c is refused']);
    jest.advanceTimersByTime(600);
    expect(log.slice(2)).toEqual(['c is refused', 'd is refused']);
    door.leave('one');
    expect(log).toHaveLength(4);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('lets nobody in who went away, and refuses nobody who did', () => {
    for (const name of ['a', 'b']) come(name);
    come('c')();
    come('d');
    door.leave('one');
    expect(log.slice(2)).toEqual(['d enters']);
    come('e')();
    jest.advanceTimersByTime(2_000);
    expect(log).toHaveLength(3);
  });

  it('has a place for another party, however many one comes with', () => {
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    come('x', 'other');
    expect(log).toEqual(['a enters', 'b enters', 'x enters']);
  });

  it('lets the party in that has the fewest inside', () => {
    for (const name of ['a', 'b', 'c']) come(name);
    come('x', 'other');
    come('y', 'other');
    door.leave('other');
    expect(log.slice(3)).toEqual(['y enters']);
    door.leave('one');
    expect(log.slice(4)).toEqual(['c enters']);
  });

  it('lets in who returns before those who were not inside yet, in the order in which they return', () => {
    for (const name of ['a', 'b', 'c']) come(name);
    jest.advanceTimersByTime(600);
    for (const name of ['r', 's']) come(name, 'one', { returnsAfterMs: 100 });
    for (let i = 0; i < 3; i++) door.leave('one');
    expect(log.slice(2)).toEqual(['r enters', 's enters', 'c enters']);
  });

  it('refuses who returns when all of its waiting was too long', () => {
    for (const name of ['a', 'b']) come(name);
    come('r', 'one', { returnsAfterMs: 900 });
    jest.advanceTimersByTime(200);
    expect(log.slice(2)).toEqual(['r is refused']);
  });

  it('lets thousands in that leave at once', () => {
    for (const name of ['a', 'b']) come(name);
    let entered = 0;
    const enter = (): void => {
      entered++;
      door.leave('one');
    };
    for (let i = 0; i < 20_000; i++) come('c', 'one', { enter });
    door.leave('one');
    expect(entered).toBe(20_000);
  });
});
