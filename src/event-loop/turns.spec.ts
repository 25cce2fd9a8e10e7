import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { beforePieces, giveWay, givingWayBeside, ownTurn, TurnLimit } from './turns.js';

/** What the clock shows: it goes on only while a piece holds the event loop. */
let nowMs = 0;
let turns: number;
let counting: NodeJS.Immediate;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  turns = 0;
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
});
afterEach(async () => {
  clearImmediate(counting);
  // The turns that belong to others.
  for (let i = 0; i < 10; i++) await turn();
  jest.restoreAllMocks();
});

/** A piece that holds the event loop for so long. @returns the turn in which it began */
function hold(ms: number): number {
  nowMs += ms;
  return turns;
}

const gaps = (began: readonly number[]): number[] => began.slice(1).map((one, i) => one - (began[i] as number));

describe('pieces of work that hold the event loop', () => {
  it('begin together where they take little', async () => {
    const began = await Promise.all([0.4, 0.4, 0.4].map((ms) => ownTurn().then(() => hold(ms))));
    expect(gaps(began)).toEqual([0, 0]);
  });

  it('do not begin in a turn that was held, nor in those that follow it, so that connections that come are not kept waiting', async () => {
    const began = await Promise.all([5, 5, 0.4, 0.4].map((ms) => ownTurn().then(() => hold(ms))));
    const [first, second, third] = gaps(began) as [number, number, number];
    expect(Math.min(first, second)).toBeGreaterThanOrEqual(8);
    expect(third).toBe(0);
  });

  it('of different kinds wait for each other', async () => {
    const kinds = Array.from({ length: 4 }, () => new TurnLimit(1));
    const began = await Promise.all(kinds.map((kind) => kind.run(() => Promise.resolve(hold(5)))));
    expect(Math.min(...gaps(began))).toBeGreaterThanOrEqual(8);
  });

  it('hold a turn with all that they do until they wait for something', async () => {
    const long = async (): Promise<number> => {
      await ownTurn();
      const began = turns;
      for (let i = 0; i < 10; i++) await Promise.resolve(hold(0.5));
      return began;
    };
    expect(gaps(await Promise.all([long(), long()]))[0]).toBeGreaterThanOrEqual(8);
  });

  it('go on in the same turn while they have held it for a short time, and else in another', async () => {
    await ownTurn();
    const began = turns;
    hold(1);
    await giveWay();
    expect(turns).toBe(began);
    hold(1);
    await giveWay();
    expect(turns).toBeGreaterThanOrEqual(began + 8);
  });
});

it('work in the background holds a turn for longer, and stands in no queue', async () => {
  const pause = givingWayBeside();
  const began = turns;
  hold(4);
  await pause();
  expect(turns).toBe(began);
  hold(1);
  await pause();
  expect(turns).toBeGreaterThan(began);
  expect(turns).toBeLessThan(began + 8);
});

describe('pieces of work beside small statements that the database has not answered', () => {
  /** Of the rest that is under way. */
  let rest: { ms: number; end: () => void } | undefined;

  beforeEach(() => {
    rest = undefined;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
      rest = { ms, end };
      return 0;
    }) as never);
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation(() => undefined);
  });

  /** A piece that holds its turn for so long, while a statement is under way; then another one. */
  async function pieceAfter(heldMs: number): Promise<{ answer: () => void; hasBegun: () => boolean }> {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    void beforePieces(() => answered);
    await ownTurn().then(() => hold(heldMs));
    let begun = false;
    void ownTurn().then(() => (begun = true));
    for (let i = 0; i < 30; i++) await turn();
    return { answer, hasBegun: () => begun };
  }

  it('rest until these are answered, and begin then as ever', async () => {
    const { answer, hasBegun } = await pieceAfter(5);
    expect(hasBegun()).toBe(false);
    answer();
    const began = turns;
    while (!hasBegun()) await turn();
    expect(turns - began).toBeGreaterThanOrEqual(8);
  });

  it.each([
    [5, 5],
    [50, 10],
  ])('rest no longer than others were held: after %i ms for %i', async (heldMs, restMs) => {
    const { answer, hasBegun } = await pieceAfter(heldMs);
    expect([rest?.ms, hasBegun()]).toEqual([restMs, false]);
    rest?.end();
    await turn();
    expect(hasBegun()).toBe(true);
    answer();
  });
});
