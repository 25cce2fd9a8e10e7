import { describe, expect, it } from '@jest/globals';
import { isMatch, isNoneMatch } from './entity-tag.js';

describe('If-None-Match', () => {
  it.each(['"a"', 'W/"a"', '*', '"b", "a"', '"b",W/"a"'])('%s names "a"', (header) => {
    expect(isNoneMatch(header, '"a"')).toBe(true);
  });
  it.each([undefined, '', '"b"', 'a', '"A"', '"a'])('%s does not name "a"', (header) => {
    expect(isNoneMatch(header, '"a"')).toBe(false);
  });
});

describe('If-Match', () => {
  it.each([undefined, '"a"', '*', '"b", "a"'])('%s lets a change of "a" through', (header) => {
    expect(isMatch(header, '"a"')).toBe(true);
  });
  it.each(['', 'W/"a"', '"b"', 'a', '"b", W/"a"'])('%s does not', (header) => {
    expect(isMatch(header, '"a"')).toBe(false);
  });
});
