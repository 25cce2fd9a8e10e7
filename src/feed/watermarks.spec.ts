import { beforeEach, describe, expect, it } from '@jest/globals';
import { DurableWatermark, SettledWatermark } from './watermarks.js';

/** A flush that the test ends. */
interface Flush {
  end: () => void;
  fail: (error: Error) => void;
}

let flushes: Flush[];
let needsBarrier: boolean;
let timesLost: number;
let clock: DurableWatermark;

/** Runs all pending callbacks. */
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

/** Waits for an instant and then adds it to `over`. */
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

  it('is 503 if the database was lost meanwhile, even after a later flush, because the server may have restarted', async () => {
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

  it('waits for the next flush if one for the same instant is already under way', async () => {
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

  it('does not count as durable if the flush failed', async () => {
    const failed = clock.waitFor(5);
    flushes[0]?.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    void clock.waitFor(5);
    expect(flushes).toHaveLength(2);
    flushes[1]?.end();
  });

  it('does not wait up to the last batch of this process, or if the database shows only durable commits', async () => {
    clock.raise(7);
    await clock.waitFor(7);
    needsBarrier = false;
    await clock.waitFor(8);
    expect(flushes).toEqual([]);
  });
});

it('calls its listener when it rises, until the listener is removed', () => {
  const settled = new SettledWatermark();
  const heard: number[] = [];
  const stopListening = settled.whenRaised(() => void heard.push(settled.us));
  settled.raise(2);
  settled.raise(1);
  stopListening();
  settled.raise(3);
  expect(heard).toEqual([2]);
});
