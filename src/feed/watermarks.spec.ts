import { beforeEach, describe, expect, it } from '@jest/globals';
import { DurableWatermark, SettledWatermark } from './watermarks.js';

/** A flush that ends when it is told to. */
interface Flush {
  end: () => void;
  fail: (error: Error) => void;
}

let flushes: Flush[];
let needsBarrier: boolean;
let timesLost: number;
let clock: DurableWatermark;

/** Lets all go on that can. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  flushes = [];
  needsBarrier = true;
  timesLost = 0;
  clock = new DurableWatermark({
    needsBarrier: () => needsBarrier,
    timesLost: () => timesLost,
    flush: () => new Promise((end, fail) => void flushes.push({ end, fail })),
  });
});

/** Waits for an instant, and says so in `over`. */
function waitFor(us: number, over: number[]): Promise<void> {
  return clock.waitFor(us).then(() => void over.push(us));
}

describe('an answer', () => {
  it('waits for a flush, once for each instant', async () => {
    const over: number[] = [];
    const waiting = waitFor(5, over);
    await settle();
    expect(over).toEqual([]);
    flushes[0]?.end();
    await waiting;
    await waitFor(5, over);
    expect([over, flushes.length]).toEqual([[5, 5], 1]);
  });

  it('is none where the database was lost meanwhile, though a flush was made after that: it may have been restarted', async () => {
    const first = clock.waitFor(5);
    const second = clock.waitFor(5);
    timesLost++;
    const third = clock.waitFor(5);
    await settle();
    flushes[0]?.end();
    await expect(first).rejects.toMatchObject({ status: 503 });
    await settle();
    flushes[1]?.end();
    await expect(second).rejects.toMatchObject({ status: 503 });
    await third;
  });

  it('waits no less when it comes while a flush for the same instant is under way', async () => {
    const over: number[] = [];
    const waiting = [waitFor(5, over)];
    await settle();
    waiting.push(waitFor(5, over));
    await settle();
    expect(over).toEqual([]);
    flushes[0]?.end();
    await settle();
    flushes[1]?.end();
    await Promise.all(waiting);
    expect(over).toEqual([5, 5]);
  });

  it('is not taken for durable where the flush has failed', async () => {
    const failed = clock.waitFor(5);
    flushes[0]?.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    void clock.waitFor(5);
    expect(flushes).toHaveLength(2);
    flushes[1]?.end();
  });

  it('waits for nothing up to the last own batch, and where the database shows only what is durable', async () => {
    clock.raise(7);
    await clock.waitFor(7);
    needsBarrier = false;
    await clock.waitFor(8);
    expect(flushes).toEqual([]);
  });
});

it('tells of what is settled since then, until nobody wants to hear of it', () => {
  const settled = new SettledWatermark();
  const heard: number[] = [];
  const hearNoMore = settled.whenRaised(() => void heard.push(settled.us));
  settled.raise(2);
  settled.raise(1);
  hearNoMore();
  settled.raise(3);
  expect(heard).toEqual([2]);
});
