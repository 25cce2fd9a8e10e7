import { describe, expect, it } from '@jest/globals';
import { placesShown } from './timeline.js';

/** Newest first. */
function historyOf(...statuses: string[]) {
  return statuses.map((status, i) => ({ modifiedUs: 1_000 - i, status, relatedLot: null, changed: undefined }));
}
const times = (count: number, status: string): string[] => Array.from({ length: count }, () => status);

describe('a timeline', () => {
  it('has every move, and the newest changes, of a longer one', () => {
    const history = historyOf('deleted', ...times(60, 'pending'), 'active', ...times(60, 'pending'));
    expect(placesShown(history)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 60, 61, 121]);
  });

  it('has the newest moves and the first entry of one with many moves', () => {
    const history = historyOf(...Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 'active' : 'pending')));
    const places = placesShown(history);
    expect(places).toHaveLength(15);
    expect(places).toContain(59);
    expect(places.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
