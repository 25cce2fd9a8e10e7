import { describe, expect, it } from '@jest/globals';
import { replacedUpToUs } from '../repositories/feed-epoch.js';
import { continueFrom, type HighWaterMarks, type AfterBackup } from './high-water-marks.js';

const DAY_US = 86_400_000_000;
const dayOf = (us: number): string => `day ${Math.floor(us / DAY_US)}`;

function marks(lastUs: number, epoch: string, numbers: Record<string, number>): HighWaterMarks {
  return { history: { lastUs, epoch, copying: null }, numbers: new Map(Object.entries(numbers)) };
}

const backup = marks(5 * DAY_US, 'e', { 'day 4': 7, 'day 5': 3 });
const after = (lost: Partial<AfterBackup> = {}): HighWaterMarks =>
  continueFrom(backup, { replaced: undefined, floorUs: 0, redactions: [], nowUs: 5 * DAY_US, dayOf, ...lost });

describe('a restored database continues', () => {
  it.each([
    ['the backup’s', {}, 5],
    ['the replaced database’s', { replaced: marks(9 * DAY_US, 'x', {}) }, 9],
    ['the one that the operator names', { replaced: marks(9 * DAY_US, 'x', {}), floorUs: 11 * DAY_US }, 11],
    ['that of the last erasure', { redactions: [{ us: 12 * DAY_US }, { us: DAY_US }], floorUs: 11 * DAY_US }, 12],
  ])('after the latest instant that is known: %s', (_, lost, days) => {
    expect(after(lost).history.lastUs).toBe(days * DAY_US);
  });

  it('with a new epoch, and complete', () => {
    const { epoch, copying } = after({ replaced: marks(1, 'x', {}) }).history;
    expect([epoch, copying]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), null]);
    expect(after().history.epoch).not.toBe(epoch);
  });

  it('with an epoch that contains the last instant of the replaced history', () => {
    const nowUs = Date.parse('2026-11-28') * 1_000;
    expect(replacedUpToUs(after({ floorUs: nowUs }).history.epoch)).toBe(nowUs);
    expect(replacedUpToUs('e'.repeat(32))).toBe(-1);
  });

  it('with the highest number of each day in either database', () => {
    const replaced = marks(6 * DAY_US, 'e', { 'day 4': 6, 'day 5': 9, 'day 6': 1 });
    expect(Object.fromEntries(after({ replaced }).numbers)).toEqual({ 'day 4': 7, 'day 5': 9, 'day 6': 1 });
  });

  it.each([
    ['nothing was replaced', undefined],
    ['another history was', marks(6 * DAY_US, 'x', { 'day 5': 9 })],
    ['an older state of this one was', marks(5 * DAY_US - 1, 'e', { 'day 5': 2 })],
  ])('a million numbers further on that day where %s', (_, replaced) => {
    const { history, numbers } = after({ replaced });
    const day = dayOf(history.lastUs);
    expect([numbers.get(day), numbers.get('day 4')]).toEqual([1_000_000, 7]);
  });

  it('a million further on the current day, too, if instants are ahead of it', () => {
    const { numbers } = after({ floorUs: 9 * DAY_US });
    expect([numbers.get('day 5'), numbers.get('day 9')]).toEqual([1_000_000, 1_000_000]);
  });

  it('a million further than a day that is past its first million', () => {
    const large = marks(5 * DAY_US, 'e', { 'day 5': 1_000_000 });
    const { numbers } = continueFrom(large, {
      replaced: undefined,
      floorUs: 0,
      redactions: [],
      nowUs: 5 * DAY_US,
      dayOf,
    });
    expect(numbers.get('day 5')).toBe(2_000_000);
  });
});
