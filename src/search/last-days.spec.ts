import { describe, expect, it } from '@jest/globals';
import { dayAfter, lastDays, lastMonths, monthAfter } from './last-days.js';

describe('the last days', () => {
  it('end with the day itself, the oldest first, over ends of months and years', () => {
    expect(lastDays('2028-03-01', 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
    expect(lastDays('2027-01-01', 2)).toEqual(['2026-12-31', '2027-01-01']);
    expect(new Set(lastDays('2026-11-21', 30)).size).toBe(30);
  });

  it('and months too', () => {
    expect(lastMonths('2027-01-31', 3)).toEqual(['2026-11', '2026-12', '2027-01']);
    expect(lastMonths('2026-11-21', 24)[0]).toBe('2024-12');
  });

  it('have one behind them', () => {
    expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01');
    expect(monthAfter('2026-12', 1)).toBe('2027-01');
  });
});
