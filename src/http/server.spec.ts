import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Throttle } from './server.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('does a few things at a time, in their order, and nothing twice', () => {
  const throttle = new Throttle();
  const done: number[] = [];
  for (let i = 0; i < 20; i++) throttle.add(() => done.push(i));
  const counts = [0, 1, 2, 3].map(() => {
    jest.advanceTimersByTime(5);
    return done.length;
  });
  expect(counts).toEqual([8, 16, 20, 20]);
  expect(done).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('goes on with what is added while it works, and after it was done', () => {
  const throttle = new Throttle();
  const done: string[] = [];
  throttle.add(() => {
    done.push('first');
    throttle.add(() => done.push('second'));
  });
  jest.advanceTimersByTime(10);
  expect(done).toEqual(['first', 'second']);
  expect(jest.getTimerCount()).toBe(0);
  throttle.add(() => done.push('third'));
  jest.advanceTimersByTime(5);
  expect(done).toEqual(['first', 'second', 'third']);
});
