import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findJsonFault } from './json-fault.js';

describe('findJsonFault', () => {
  it.each([
    ['', 'it is empty'],
    ['\ufeff{}', 'it begins with a byte order mark'],
    ['{"data":{}', 'it breaks off at line 1, column 11'],
    ['{\n  "data": {"title": "a}\n}', 'the string is not closed that begins at line 2, column 21'],
    ['{"data":"a', 'the string is not closed that begins at line 1, column 9'],
    ['{"data":{}}{"data":{}}', 'it should have ended before line 1, column 12'],
    ['{"data":[1,\n]}', 'a value is missing at line 2, column 1'],
    ["{'data':{}}", 'an unknown word or character stands at line 1, column 2'],
    ['{"data" {}}', 'a colon is missing at line 1, column 9'],
    ['{"data":{}/**/}', 'JSON has no comments, but one stands at line 1, column 11'],
    ['{\r\n "a": [1\r\n 2]}', 'a comma is missing at line 3, column 2'],
    ['{"data":{"quantity":NaN}}', 'an unknown word or character stands at line 1, column 21'],
    ['{"data":{"title":"\\u00g0"}}', 'a backslash begins no escape in the string at line 1, column 18'],
    ['{"data":{"title":"a","t\\u0069tle":"b"}}', 'the key title is repeated at line 1, column 22'],
    ['{"data":{"a":1},"x":[{"a":1,"a":2}]}', 'the key a is repeated at line 1, column 29'],
  ])('%j: %s', (text, fault) => {
    expect(findJsonFault(text)).toBe(fault);
  });

  it.each(['__proto__', 'a'.repeat(41), '/src/x.js', '0123456789abcdef0123456789abcdef'])(
    'repeats no key but a plain word: not %j',
    (key) => {
      const member = `${JSON.stringify(key)}:1`;
      expect(findJsonFault(`{${member},${member}}`)).toBe(`a key is repeated at line 1, column ${member.length + 3}`);
    },
  );

  it('finds nothing in valid JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(findJsonFault(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
    );
  });

  it('finds a fault wherever the parser finds one', () => {
    const part = fc.constantFrom(...'{}[]:,"\\ \n-+.eE01u'.split(''), '"a"', 'true', '1.5');
    fc.assert(
      fc.property(fc.json(), fc.nat(), part, fc.boolean(), (json, at, insertion, replaces) => {
        const index = at % (json.length + 1);
        const text = json.slice(0, index) + insertion + json.slice(index + (replaces ? 1 : 0));
        fc.pre(isRefused(text));
        expect(findJsonFault(text)).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });
});

function isRefused(json: string): boolean {
  try {
    JSON.parse(json);
    return false;
  } catch {
    return true;
  }
}
