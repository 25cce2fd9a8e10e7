import { describe, expect, it } from '@jest/globals';
import { Flag, Nested, Text } from './fields.js';
import { printFields } from './print-fields.js';
import { readFields } from './read-fields.js';

const LABELS = { uk: 'Поле', en: 'Field' };

class Inner {
  @Text({ ...LABELS, optional: true })
  b?: string;

  @Text({ ...LABELS, optional: true })
  a?: string;
}

class Parent {
  @Text({ ...LABELS, optional: true })
  first?: string;
}

class Child extends Parent {
  @Nested(() => Inner, { ...LABELS, optional: true })
  inner?: Inner;

  @Flag(LABELS)
  flag = true;
}

const print = (data: Record<string, unknown>): string => printFields(Child, readFields(Child, data).fields);

describe('printing the fields of a type', () => {
  it('keeps the order of their declaration, whatever order they came in, those of a parent class first', () => {
    const text = '{"first":"1","inner":{"b":"2","a":"3"},"flag":false}';
    expect(print({ flag: false, inner: { a: '3', b: '2' }, first: '1' })).toBe(text);
  });

  it('leaves out what is absent and puts in what has a default', () => {
    expect(print({})).toBe('{"flag":true}');
    expect(print({ inner: {} })).toBe('{"inner":{},"flag":true}');
  });

  it('leaves a parent class as it was', () => {
    expect(printFields(Parent, { first: '1', flag: true })).toBe('{"first":"1"}');
  });

  it('escapes what JSON must', () => {
    expect(print({ first: '"\\\n' })).toBe('{"first":"\\"\\\\\\n","flag":true}');
  });
});
