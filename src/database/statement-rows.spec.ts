import { describe, expect, it } from '@jest/globals';
import { statementRows } from './statement-rows.js';

const sizes = (rows: readonly (readonly unknown[])[], most: number): number[] =>
  statementRows(rows, most).map((together) => together.length);

describe('the rows of a statement', () => {
  it('are all of them where they are small, in their order', () => {
    const rows = Array.from({ length: 64 }, (_, i) => [i, 'text', null]);
    expect(statementRows(rows, 1_000_000)).toEqual([rows]);
  });

  it('are as many as fit', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((letter) => [letter.repeat(400)]);
    expect(sizes(rows, 1_000)).toEqual([2, 2, 1]);
    expect(statementRows(rows, 1_000).flat()).toEqual(rows);
  });

  it('count the bytes of a text, not its characters', () => {
    expect(sizes([['a'.repeat(400)], ['a'.repeat(400)]], 1_000)).toEqual([2]);
    expect(sizes([['ж'.repeat(400)], ['ж'.repeat(400)]], 1_000)).toEqual([1, 1]);
  });

  it('are one where that is more than there may be', () => {
    expect(sizes([['a'], ['b'.repeat(2_000)], ['c']], 1_000)).toEqual([1, 1, 1]);
  });

  it('are none where there are none', () => {
    expect(sizes([], 1_000)).toEqual([]);
  });
});
