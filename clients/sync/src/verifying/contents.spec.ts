import { describe, expect, it } from '@jest/globals';
import type { Content, Range } from '../copies/copy.js';
import { contentsIn } from './contents.js';

/** A copy with a row at each of so many instants. @returns the ranges and rows that come of one of them */
async function piecesOf(rows: number, range: Range): Promise<{ range: Range; rows: number[] }[]> {
  const within = ({ afterUs, upToUs }: Range): Content[] =>
    Array.from({ length: rows }, (_, i) => ({ feedUs: i + 1 }) as Content).filter(
      ({ feedUs }) => feedUs > afterUs && feedUs <= upToUs,
    );
  const copy = {
    contents: async (part: Range) => within(part),
    feedUsAt: async (part: Range, number: number) => within(part)[number]?.feedUs,
  };
  const pieces: { range: Range; rows: number[] }[] = [];
  for await (const piece of contentsIn(copy, range))
    pieces.push({ range: piece.range, rows: piece.rows.map(({ feedUs }) => feedUs) });
  return pieces;
}

describe('what a range of a copy holds', () => {
  it.each([
    [0, [0]],
    [99, [99]],
    [100, [100, 0]],
    [250, [100, 100, 50]],
  ])('comes a hundred rows at a time, of %i', async (rows, expected) => {
    expect((await piecesOf(rows, { afterUs: 0, upToUs: 1e6 })).map((piece) => piece.rows.length)).toEqual(expected);
  });

  it('is all of it, and nothing twice', async () => {
    const pieces = await piecesOf(300, { afterUs: 20, upToUs: 280 });
    expect(pieces.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 260 }, (_, i) => i + 21));
    expect(pieces.map(({ range }) => range.afterUs)).toEqual(
      [20, ...pieces.map(({ range }) => range.upToUs)].slice(0, -1),
    );
    expect(pieces.at(-1)?.range.upToUs).toBe(280);
  });
});
