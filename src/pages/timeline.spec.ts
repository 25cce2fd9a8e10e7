import { describe, expect, it } from '@jest/globals';
import { chooseRuns } from './timeline.js';

type Change = { status?: string; changed?: string[] };

/** Newest first. */
function historyOf(...changes: Change[]) {
  return changes.map(({ status = 'pending', changed }, i) => ({
    modifiedUs: 1_000 - i,
    status,
    relatedLot: null,
    changed,
  }));
}
const times = (count: number, change: Change): Change[] => Array.from({ length: count }, () => change);
const PRICE = { changed: ['value'] };
const TITLE = { changed: ['title'] };
const PUBLISHED = {};
const single = (index: number) => ({ newest: index, oldest: index });

describe('a timeline', () => {
  it('gathers changes of the same fields that follow each other, and never hides a move or the publication', () => {
    const move = { status: 'active', changed: ['status', 'relatedLot'] };
    const history = historyOf(...times(60, PRICE), move, ...times(60, PRICE), TITLE, PUBLISHED);
    expect(chooseRuns(history, true)).toEqual([
      { newest: 0, oldest: 58 },
      // The move back into pending, in the same change as a price.
      single(59),
      single(60),
      { newest: 61, oldest: 120 },
      single(121),
      single(122),
    ]);
  });

  it('shows two changes of the same fields one by one', () => {
    const history = historyOf(PRICE, PRICE, TITLE, PUBLISHED);
    expect(chooseRuns(history, true)).toEqual([0, 1, 2, 3].map(single));
  });

  it('shows each change separately if something was erased, and each transfer to another broker and change of the lot', () => {
    const history = historyOf(...times(3, PRICE), PUBLISHED);
    expect(chooseRuns(history, false)).toEqual([0, 1, 2, 3].map(single));
    for (const changed of [['owner'], ['relatedLot']])
      expect(chooseRuns(historyOf(...times(3, { changed }), PUBLISHED), true)).toHaveLength(4);
  });

  it('has the newest moves and the first entry of one with many moves', () => {
    const history = historyOf(
      ...Array.from({ length: 60 }, (_, i) => ({ status: i % 2 === 0 ? 'active' : 'pending' })),
    );
    const indexes = chooseRuns(history, true).map(({ newest }) => newest);
    expect(indexes).toHaveLength(15);
    expect(indexes).toContain(59);
    expect(indexes.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
