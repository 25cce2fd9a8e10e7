import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inSteps } from '../../test/support/steps.js';
import { runSteps } from '../event-loop/turns.js';
import { indenting } from './json-indent.js';

describe('indenting', () => {
  const indented = (json: string): string => Buffer.concat(runSteps(indenting(Buffer.from(json)))).toString();

  it('is what the engine prints with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => indented(JSON.stringify(value)) === JSON.stringify(value, null, 2)),
    );
  });

  it('is so for more than a step prints', () => {
    const value = Array.from({ length: 5_000 }, (_, i) => ({ name: `"${i}"`, all: [i, {}, []] }));
    expect(indented(JSON.stringify(value)) === JSON.stringify(value, null, 2)).toBe(true);
    expect(inSteps(indenting(Buffer.from(JSON.stringify(value)))).steps).toBeGreaterThan(0);
  });
});
