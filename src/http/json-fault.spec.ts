import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runSteps } from '../event-loop/turns.js';
import { findJsonFault } from './json-fault.js';

const faultOf = (text: string): string | undefined => runSteps(findJsonFault(text));

describe('the fault of a JSON text', () => {
  it.each([
    ['', 'it is empty'],
    ['\ufeff{}', 'it begins with a byte order mark'],
    ['{"data":{}', 'it breaks off at line 1, column 11'],
    [
      '{\n  "data": {"title": "a}\n}',
      'a line break, or another control character, stands in a string at line 2, column 24',
    ],
    ['{"data":"a', 'the string is not closed that begins at line 1, column 9'],
    ['{"data":{}}{"data":{}}', 'it should have ended before line 1, column 12'],
    ['{"data":[1,\n]}', 'a comma too many stands at line 1, column 11'],
    ["{'data':{}}", 'a key in double quotes is missing at line 1, column 2'],
    ['{"data" {}}', 'a colon is missing at line 1, column 9'],
    ['{"data":{}/**/}', 'a comma or } is missing at line 1, column 11'],
    ['{\r\n "a": [1\r\n 2]}', 'a comma or ] is missing at line 3, column 2'],
    ['{"data":{"quantity":NaN}}', 'no JSON value stands at line 1, column 21'],
    ['{"data":{"title":"\\u00g0"}}', 'a backslash begins no escape at line 1, column 19'],
    ['{"data":{"title":"a","t\\u0069tle":"b"}}', 'the key title is repeated at line 1, column 22'],
  ])('%j: %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it.each(['__proto__', 'a'.repeat(41), '/src/x.js', '0123456789abcdef0123456789abcdef'])(
    'repeats no key but a plain word: not %j',
    (key) => {
      const member = `${JSON.stringify(key)}:1`;
      const column = member.length + 3;
      expect(faultOf(`{${member},${member}}`)).toBe(`a key is repeated at line 1, column ${column}`);
    },
  );

  it('is none where there is none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(faultOf(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
    );
  });

  it.each([
    [
      'members',
      `{${Array.from({ length: 20_000 }, (_, i) => `"m${i}":1`).join(',')},"m0":1}`,
      'a key is repeated at line 1, column 208892',
    ],
    ['lines', `{"data":1${'\n'.repeat(70_000)}x}`, 'a comma or } is missing at line 70001, column 1'],
    ['characters of a key', `{"${'\\"'.repeat(50_000)}":1,}`, 'a comma too many stands at line 1, column 100006'],
  ])('is found among very many %s', (_, text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('is found wherever a parser finds one, and nowhere else', () => {
    const fragment = fc.constantFrom(
      ...'{}[]:,"\\ \n-+.eE01u'.split(''),
      '"a"',
      '"b":',
      'true',
      'null',
      '1.5',
      '\u00a0',
    );
    const text = fc.oneof(
      fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.json(), fc.nat(), fragment, fc.boolean()).map(([json, at, part, replaces]) => {
        const index = at % (json.length + 1);
        return json.slice(0, index) + part + json.slice(index + (replaces ? 1 : 0));
      }),
    );
    fc.assert(
      fc.property(text, (json) => {
        fc.pre(!faultOf(json)?.includes('repeated'));
        expect(faultOf(json) !== undefined).toBe(isRefused(json));
      }),
      { numRuns: 2_000 },
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
