import { beforeEach, describe, expect, it } from '@jest/globals';
import { BodySizes } from './body-sizes.js';

const MEGABYTE = 1024 * 1024;
const OF_A_PAGE = 1_000;

describe('how many rows are looked at', () => {
  let sizes: BodySizes;
  beforeEach(() => {
    sizes = new BodySizes();
  });

  it('is a hundred where nothing is known, and never more than are wanted', () => {
    expect([sizes.rowsAt('a', OF_A_PAGE), sizes.rowsAt('a', 7)]).toEqual([100, 7]);
  });

  it('is all of a page where bodies are small', () => {
    sizes.note('a', [1_000, 3_000]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(OF_A_PAGE);
    expect(sizes.rowsAt('b', OF_A_PAGE)).toBe(100);
  });

  it('is few where they are large, and one at least', () => {
    sizes.note('a', [MEGABYTE, MEGABYTE]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(31);
    sizes.note('a', [MEGABYTE * OF_A_PAGE]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(1);
  });

  it('stays where nothing was found, and is not known any more once it is forgotten', () => {
    sizes.note('a', [1_000]);
    sizes.note('a', []);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(OF_A_PAGE);
    sizes.forget('a');
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(100);
  });
});
