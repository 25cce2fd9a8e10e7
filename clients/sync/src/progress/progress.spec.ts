import { beforeEach, describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';
import { timeText } from './shown-progress.js';

describe('Progress', () => {
  let ms = 0;
  let progress: Progress;
  beforeEach(() => {
    ms = 0;
    progress = new Progress(() => ms);
  });

  it('is told by what the registry has counted, with what is left at the speed so far', () => {
    progress.step('snapshot');
    progress.copied(0, 0, undefined);
    expect(progress.standing()).toMatchObject({ percent: null, secondsLeft: null });
    progress.expects(400);
    ms = 2_000;
    progress.copied(50, 100, 'UA-1');
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

  it('stays where it is while changes are fetched, and knows of no more than all', () => {
    progress.step('newest first');
    progress.expects(20);
    progress.copied(10, 12, undefined);
    expect(progress.standing().percent).toBe(60);
    progress.copied(1, 0, 'UA-2');
    expect(progress.standing()).toMatchObject({ percent: 60, assets: 11, lastAssetId: 'UA-2' });
    progress.copied(30, 30, 'UA-3');
    expect(progress.standing()).toMatchObject({ percent: 100, secondsLeft: 0 });
  });

  it('does not know how much there is to compare', () => {
    progress.expects(1);
    progress.copied(1, 1, 'UA-1');
    progress.step('comparing');
    expect(progress.standing()).toMatchObject({ percent: null, secondsLeft: null });
  });

  it('tells what it waits for, as long as it does', () => {
    progress.wait({ reason: 'rate limited', ms: 1_500 });
    ms = 500;
    expect(progress.standing().waiting).toEqual({ reason: 'rate limited', ms: 1_000 });
    ms = 1_600;
    expect(progress.standing().waiting).toBeNull();
    progress.wait({ reason: 'connection', ms: 9_000, why: 'nobody is there' });
    expect(progress.standing().waiting).toEqual({ reason: 'connection', ms: 9_000, why: 'nobody is there' });
    progress.copied(1, 1, undefined);
    expect(progress.standing().waiting).toBeNull();
  });

  it('of an empty feed is whole', () => {
    const empty = new Progress(() => ms);
    empty.expects(0);
    expect(empty.standing()).toMatchObject({ percent: 100, secondsLeft: 0 });
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
