import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Loader } from '../database/loader.js';
import { ownTurn } from '../event-loop/turns.js';
import { DurableClock, SettledClock } from './known-clocks.js';
import { ReadPoint } from './read-point.js';

/*
 * A read of the feed on a server asks it two or three times, each time a little. Pieces that hold the event loop rest meanwhile.
 */

let nowMs = 0;
let answer: () => void;
let answered: Promise<void>;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  answered = new Promise((resolve) => (answer = resolve));
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function manyTurns(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise(setImmediate);
}

const asks: Record<string, () => Promise<unknown>> = {
  'a page or an asset': () => new Loader(() => answered.then(() => new Map()), { keys: 1, underWay: 1 }).load(1),
  'a read point': () => new ReadPoint({ readPoint: () => answered.then(() => 1) }, new SettledClock()).ask(),
  'the read barrier': () =>
    new DurableClock({ needsBarrier: () => true, flush: () => answered, timesLost: () => 0 }).waitFor(1),
};

it.each(Object.keys(asks))('pieces rest while the database is asked for %s', async (name) => {
  const asking = asks[name]?.();
  await manyTurns();
  const rest = jest.spyOn(globalThis, 'setTimeout').mockReturnValue(0 as never);
  await ownTurn().then(() => (nowMs += 5));
  await manyTurns();
  expect(rest.mock.calls.map(([, ms]) => ms)).toEqual([5]);
  answer();
  await asking;
  await manyTurns();
});
