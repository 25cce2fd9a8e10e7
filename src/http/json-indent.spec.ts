import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runSteps } from '../event-loop/turns.js';
import { indenting } from './json-indent.js';

describe('indenting', () => {
  const indented = (json: string): string => Buffer.concat(runSteps(indenting(Buffer.from(json)))).toString();

  it('is what the engine prints with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => indented(JSON.stringify(value)) === JSON.stringify(value, null, 2)),
    );
  });

  it('leaves numbers as they are written', () => {
    expect(indented('{"a":100.0}')).toBe('{\n  "a": 100.0\n}');
  });
});
