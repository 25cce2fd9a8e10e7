import { expect, it } from '@jest/globals';
import { pauseAfter } from './index-follower.js';

it.each([
  { workMs: 10, idleMs: 0, isAwaited: true, pause: 10 },
  { workMs: 10, idleMs: 9, isAwaited: false, pause: 10 },
  { workMs: 10, idleMs: 0, isAwaited: false, pause: 40 },
  { workMs: 20_000, idleMs: 0, isAwaited: false, pause: 1_000 },
])('between two pages of the index, requests have as much time as it, and a second at most: $pause ms', (page) => {
  expect(pauseAfter(page)).toBe(page.pause);
});
