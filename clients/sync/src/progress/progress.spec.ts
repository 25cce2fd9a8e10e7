import { beforeEach, describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';
import { followingText, timeText } from './shown-progress.js';

describe('Progress', () => {
  let ms = 0;
  let progress: Progress;
  beforeEach(() => {
    ms = 0;
    progress = new Progress(() => ms);
  });

  it('is the share of the registry’s count, with the time left at the speed so far', () => {
    progress.step('snapshot');
    progress.copied(0, 0, undefined);
    expect(progress.report()).toMatchObject({ percent: null, secondsLeft: null });
    progress.expects(400);
    ms = 2_000;
    progress.copied(50, 100, 'UA-1');
    expect(progress.report()).toEqual({
      step: 'snapshot',
      percent: 25,
      assets: 50,
      assetsPerSecond: 25,
      secondsLeft: 6,
      lastAssetId: 'UA-1',
      follows: null,
      behindSeconds: null,
      heardSecondsAgo: null,
      waiting: null,
    });
    ms = 3_000;
    expect(progress.report()).toMatchObject({ assetsPerSecond: 0, percent: 25 });
  });

  it('does not change while changes are fetched, and never exceeds 100 %', () => {
    progress.step('newest first');
    progress.expects(20);
    progress.copied(10, 12, undefined);
    expect(progress.report().percent).toBe(60);
    progress.copied(1, 0, 'UA-2');
    expect(progress.report()).toMatchObject({ percent: 60, assets: 11, lastAssetId: 'UA-2' });
    progress.copied(30, 30, 'UA-3');
    expect(progress.report()).toMatchObject({ percent: 100, secondsLeft: 0 });
  });

  it('reports what it waits for, only while it waits', () => {
    progress.wait({ reason: 'rate limited', ms: 1_500 });
    ms = 500;
    expect(progress.report().waiting).toEqual({ reason: 'rate limited', ms: 1_000 });
    ms = 1_600;
    expect(progress.report().waiting).toBeNull();
    progress.wait({ reason: 'connection', ms: 9_000, why: 'no server is there' });
    expect(progress.report().waiting).toEqual({ reason: 'connection', ms: 9_000, why: 'no server is there' });
    progress.copied(1, 1, undefined);
    expect(progress.report().waiting).toBeNull();
  });

  it('reports the age of the copy, and at the end of the feed that it is up to date', () => {
    let wallMs = 500_000;
    const one = new Progress(() => ms, () => wallMs); // prettier-ignore
    const report = (): unknown[] => {
      const { follows, behindSeconds, heardSecondsAgo } = one.report();
      return [follows, behindSeconds, heardSecondsAgo];
    };
    const pass = (seconds: number): void => void ((ms += seconds * 1_000), (wallMs += seconds * 1_000));
    expect(report()).toEqual([null, null, null]);
    one.answered();
    one.reached(100_000_000);
    pass(2);
    expect(report()).toEqual([null, 402, 2]);
    one.answered();
    one.step('caught up');
    one.wait({ reason: 'caught up', ms: 25_000, isLive: true });
    pass(20);
    expect(report()).toEqual(['live', 0, 20]);
    pass(6);
    expect(report()).toEqual(['live', 26, 26]);
    one.wait({ reason: 'connection', ms: 60_000 });
    pass(30);
    expect(report()).toEqual(['live', 56, 56]);
    one.answered();
    one.wait({ reason: 'caught up', ms: 300_000 });
    pass(200);
    expect(report()).toEqual(['polling', 200, 200]);
    one.answered();
    one.step('pages');
    one.reached(wallMs * 1_000 + 5_000_000);
    expect(report()).toEqual(['polling', 0, 0]);
  });

  it('of an empty feed is 100 %', () => {
    const empty = new Progress(() => ms);
    empty.expects(0);
    expect(empty.report()).toMatchObject({ percent: 100, secondsLeft: 0 });
    empty.step('caught up');
    expect(empty.report()).toMatchObject({ percent: 100, secondsLeft: 0 });
  });
});

it.each([
  [null, '?'],
  [0, '0:00'],
  [125, '2:05'],
  [3_725, '1:02:05'],
])('timeText(%p) is %p', (seconds, text) => expect(timeText(seconds)).toBe(text));

it.each([
  [null, null, ''],
  [null, 90, '1:30 behind'],
  ['live', 0, 'live'],
  ['live', 27, 'live, 0:27 behind'],
  ['polling', 200, 'polling, 3:20 behind'],
] as const)('%p and %p behind is shown as %p', (follows, behindSeconds, text) => {
  expect(followingText({ follows, behindSeconds })).toBe(text);
});
