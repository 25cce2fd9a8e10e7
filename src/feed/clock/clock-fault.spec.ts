import { describe, expect, it } from '@jest/globals';
import type { KnownTime } from '../../database/repositories/clock-repository.js';
import { type ClockFault, findClockFault } from './clock-fault.js';
import { adviceOnClockFault, formatDuration, describeClockFault } from './clock-messages.js';

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const NOW = 20_000 * DAY;
const BOUNDS = { jumpUs: DAY, stepUs: SECOND };
const NOTHING: KnownTime = { databaseUs: undefined, lastUs: 0, seenUs: 0, leadUs: 0 };

const find = (known: Partial<KnownTime>, span = { fromUs: NOW, toUs: NOW }, workedUs = 0): ClockFault | undefined =>
  findClockFault(span, { ...NOTHING, ...known }, BOUNDS, workedUs);

describe('a clock', () => {
  it('is trusted if there is nothing to compare it with', () => {
    expect(find({})).toBeUndefined();
  });

  it.each<[string, Partial<KnownTime>, ClockFault | undefined]>([
    ['a second ahead of the server', { databaseUs: NOW - SECOND }, undefined],
    ['more', { databaseUs: NOW - SECOND - 1 }, { kind: 'server', aheadUs: SECOND + 1, referenceUs: NOW - SECOND - 1 }],
    ['a second behind the server', { databaseUs: NOW + SECOND }, undefined],
    ['more', { databaseUs: NOW + SECOND + 1 }, { kind: 'server', aheadUs: -SECOND - 1, referenceUs: NOW + SECOND + 1 }],
    ['a second behind the last instant', { lastUs: NOW + SECOND }, undefined],
    ['more', { lastUs: NOW + SECOND + 1 }, { kind: 'instants', aheadUs: -SECOND - 1, referenceUs: NOW + SECOND + 1 }],
    ['as far behind it as was accepted', { lastUs: NOW + 9 * DAY, leadUs: 9 * DAY }, undefined],
    [
      'more',
      { lastUs: NOW + 9 * DAY, leadUs: 8 * DAY },
      { kind: 'instants', aheadUs: -9 * DAY, referenceUs: NOW + 9 * DAY },
    ],
    ['a day after the last instant', { lastUs: NOW - DAY }, undefined],
    ['more', { lastUs: NOW - DAY - 1 }, { kind: 'jump', aheadUs: DAY + 1, referenceUs: NOW - DAY - 1 }],
    ['a day after the registry was last at work', { lastUs: 5, seenUs: NOW - DAY }, undefined],
    ['more', { lastUs: 5, seenUs: NOW - DAY - 1 }, { kind: 'jump', aheadUs: DAY + 1, referenceUs: NOW - DAY - 1 }],
    ['before the registry was at work', { seenUs: NOW + DAY }, { kind: 'back', aheadUs: -DAY, referenceUs: NOW + DAY }],
    ['the same, where the server’s agrees', { databaseUs: NOW, seenUs: NOW + DAY }, undefined],
    ['between an accepted instant and its end', { lastUs: NOW + 5 * DAY, leadUs: 9 * DAY, seenUs: NOW }, undefined],
  ])('that is %s: %j', (_, known, fault) => {
    expect(find(known)).toEqual(fault);
  });

  it('is compared with when this process last trusted its clock', () => {
    expect(find({ lastUs: 5 }, undefined, NOW - DAY)).toBeUndefined();
  });

  it.each([
    ['a pause of 400 days', 400 * DAY, undefined],
    ['a longer one', 401 * DAY, 'jump'],
  ])('that agrees with the server’s is checked after %s: %s', (_, rest, kind) => {
    expect(find({ databaseUs: NOW, lastUs: NOW - rest })?.kind).toBe(kind);
  });

  it('that is behind another service’s last instant is trusted if the server’s clock is not behind it', () => {
    expect(find({ databaseUs: NOW + SECOND, lastUs: NOW + 2 * SECOND })).toBeUndefined();
  });

  it('is not faulted for a slow answer, at whatever moment the server read its clock', () => {
    const slow = { fromUs: NOW, toUs: NOW + 10 * SECOND };
    for (const databaseUs of [NOW - SECOND, NOW + 5 * SECOND, NOW + 11 * SECOND])
      expect(find({ databaseUs }, slow)).toBeUndefined();
    expect(find({ databaseUs: NOW - 2 * SECOND }, slow)?.kind).toBe('server');
    expect(find({ databaseUs: NOW + 12 * SECOND }, slow)?.kind).toBe('server');
  });
});

describe('the messages about it', () => {
  it.each([
    [7_305 * DAY, '7305 days'],
    [119 * SECOND, '119 s'],
    [1_550_000, '1.5 s'],
  ])('print %d microseconds as %s', (us, words) => {
    expect(formatDuration(us)).toBe(words);
  });

  it.each<[ClockFault['kind'], number, RegExp, RegExp]>([
    ['server', DAY * 3, /3 days ahead of the database server's$/, /CLOCK_MAX_STEP/],
    ['server', -DAY * 3, /3 days behind the database server's$/, /CLOCK_MAX_STEP/],
    ['instants', -DAY * 3, /3 days behind the last instant that was given out, T5$/, /"registry clock"/],
    ['back', -DAY * 3, /3 days behind the time at which the registry was last at work, T5$/, /"registry clock accept"/],
    ['jump', DAY * 3, /3 days ahead of the time at which .* last at work, T5$/, /"registry clock accept".*MAX_JUMP/],
    ['step', DAY * 3, /3 days ahead of where it was/, /five minutes/],
    ['step', -DAY * 3, /3 days behind where it was/, /five minutes/],
  ])('%s by %d', (kind, aheadUs, description, advice) => {
    const fault = { kind, aheadUs, referenceUs: 5 };
    expect(describeClockFault(fault, (us) => `T${us}`)).toMatch(description);
    expect(adviceOnClockFault(fault)).toMatch(advice);
  });
});
