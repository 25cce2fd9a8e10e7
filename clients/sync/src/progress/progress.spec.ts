import { beforeEach, describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';
import { timeText } from './shown-progress.js';

describe('Progress', () => {
  let ms = 0;
  let progress: Progress;
  beforeEach(() => {
    ms = 0;
    progress = new Progress(() => ms);
    progress.spans(1_000, 2_000);
  });

  it('is told by time of the feed, with what is left at the speed so far', () => {
    progress.step('snapshot');
    progress.copied(0, 1_000, undefined);
    ms = 2_000;
    progress.copied(50, 1_250, 'UA-1');
    expect(progress.standing()).toEqual({
      step: 'snapshot',
      percent: 25,
      assets: 50,
      assetsPerSecond: 25,
      secondsLeft: 6,
      lastAssetId: 'UA-1',
      waiting: null,
    });
    ms = 3_000;
    expect(progress.standing()).toMatchObject({ assetsPerSecond: 0, percent: 25 });
  });

  it('goes down to the beginning, newest first, and stays where it is while changes are fetched', () => {
    progress.step('newest first');
    progress.copied(10, 1_400, undefined);
    expect(progress.standing().percent).toBe(60);
    progress.copied(1, undefined, 'UA-2');
    expect(progress.standing()).toMatchObject({ percent: 60, assets: 11, lastAssetId: 'UA-2' });
  });

  it('knows an end that moves', () => {
    progress.copied(1, 3_000, undefined);
    expect(progress.standing()).toMatchObject({ percent: 100, secondsLeft: 0 });
  });

  it('tells what it waits for, as long as it does', () => {
    progress.wait({ reason: 'rate limited', ms: 1_500 });
    ms = 500;
    expect(progress.standing().waiting).toEqual({ reason: 'rate limited', ms: 1_000 });
    ms = 1_600;
    expect(progress.standing().waiting).toBeNull();
    progress.wait({ reason: 'connection', ms: 9_000 });
    progress.copied(1, 1_500, undefined);
    expect(progress.standing().waiting).toBeNull();
  });

  it('of an empty feed is nothing, and then whole', () => {
    const empty = new Progress(() => ms);
    expect(empty.standing()).toMatchObject({ percent: 0, secondsLeft: null });
    empty.step('caught up');
    expect(empty.standing()).toMatchObject({ percent: 100, secondsLeft: 0 });
  });
});

it.each([
  [null, '?'],
  [0, '0:00'],
  [125, '2:05'],
  [3_725, '1:02:05'],
])('timeText(%p) is %p', (seconds, text) => expect(timeText(seconds)).toBe(text));
