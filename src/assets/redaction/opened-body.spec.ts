import { describe, expect, it } from '@jest/globals';
import { checkPointer, OpenedBody } from './opened-body.js';

describe('a pointer to erased fields', () => {
  it.each(['/title', '/a~1b/~0c', '/items/*/address', '/items/0/description', '/'])('may be %s', (pointer) => {
    expect(() => checkPointer(pointer)).not.toThrow();
  });

  it.each([
    ['', 'is no JSON pointer'],
    ['title', 'is no JSON pointer'],
    ['/a~2', 'is no JSON pointer'],
    ['/id', 'id is set by the registry itself'],
    ['/redacted/0/reason', 'redacted is set by the registry itself'],
    ['/relatedLot', 'relatedLot is set by the registry itself'],
  ])('is refused: %j', (pointer, sentence) => {
    expect(() => checkPointer(pointer)).toThrow(sentence);
  });
});

describe('a body without its erased fields', () => {
  const remainder = (body: string, ...pointers: string[]): string =>
    new OpenedBody(body, pointers).print([{ pointer: 'p', reason: 'r', at: 't' }]);
  const redacted = '"redacted":[{"pointer":"p","reason":"r","at":"t"}]';

  it('keeps the form of numbers, the order and the escapes', () => {
    const body = '{"z":100.0,"a":"\\u2028\\"","n":[1.50,{"b":0.000001}],"gone":1}';
    expect(remainder(body, '/gone')).toBe(`{"z":100.0,"a":"\u2028\\"","n":[1.50,{"b":0.000001}],${redacted}}`);
  });

  it('keeps empty objects and items', () => {
    expect(remainder('{"a":{"b":1},"i":[{"c":1},{"c":2}]}', '/a/b', '/i/*/c')).toBe(`{"a":{},"i":[{},{}],${redacted}}`);
  });

  it('has pointers to the removed fields, without `*`', () => {
    const { pointers } = new OpenedBody('{"i":[{"c":1},{},{"c":2}],"*":{"c":3}}', ['/i/*/c', '/i/0/c', '/*/c']);
    expect(pointers).toEqual(['/i/0/c', '/i/2/c', '/*/c']);
  });

  it('cannot lose an item of a list', () => {
    const sentence = 'only members of objects are erased';
    for (const pointer of ['/i/0', '/i/*']) expect(() => remainder('{"i":[1]}', pointer)).toThrow(sentence);
  });

  it('ignores pointers into numbers and to inherited properties', () => {
    expect(new OpenedBody('{"n":1.0}', ['/n/rawJSON', '/constructor', '/__proto__/x']).pointers).toEqual([]);
  });
});
