import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inSteps } from '../../test/support/steps.js';
import { JsonPieces, type ParsedJson } from './json-pieces.js';
import { countMembers, inspectJson } from './json-text.js';

const MOST = { depth: 1_000, members: 1e6, membersOfOne: 1e6, values: 1e6, inexactNumbers: 1e6 };
/** Stands for blanks that are as long as a piece: behind them the text is cut at the next comma. */
const MARK = '~';
const unfolded = (text: string): string => text.replaceAll(MARK, ' '.repeat(16 * 1024));

function cut(text: string): JsonPieces {
  const pieces = new JsonPieces(text);
  inSteps(inspectJson(text, MOST, pieces));
  return pieces;
}

function parseAtOnce(text: string): ParsedJson {
  const value = JSON.parse(text) as unknown;
  return { value, members: countMembers(value) };
}

/** The value, with the order of its keys, and whether a key was repeated; nothing of what is refused. */
function read(text: string, how: (text: string) => ParsedJson): string | undefined {
  try {
    const { value, members } = how(text);
    const repeats = members < inSteps(inspectJson(text, MOST)).result.members;
    return `${JSON.stringify(value)} ${repeats ? 'repeats a key' : ''}`;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return undefined;
  }
}

const atOnce = (text: string): string | undefined => read(text, parseAtOnce);
const inPieces = (text: string): string | undefined =>
  read(text, (one) => {
    const pieces = cut(one);
    return pieces.areCut ? inSteps(pieces.parse()).result : parseAtOnce(one);
  });

describe('a JSON text in pieces', () => {
  const key = fc.constantFrom('a', 'b', '1', '0', '', '__proto__', 'constructor', 'toString', '\\u0061');
  const comma = fc.constantFrom(',', ',', `${MARK},`, `${MARK},`, ` ,${MARK}`);
  const joined = (parts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .array(fc.tuple(parts, comma), { maxLength: 4 })
      .map((all) => all.map(([part, before], i) => (i === 0 ? part : before + part)).join(''));
  const { tree } = fc.letrec<{ tree: string }>((again) => ({
    tree: fc.oneof(
      { maxDepth: 6, depthSize: 'large' },
      fc.constantFrom('1', '-0', '"x"', '"],}{["', '"\\\\"', '"\\""', 'null', '[]', '{ }'),
      joined(again('tree')).map((items) => `[${items}]`),
      joined(fc.tuple(key, again('tree')).map(([name, value]) => `"${name}": ${value}`)).map((all) => `{${all}}`),
    ),
  }));

  it('is what it is as a whole, with keys such as __proto__ and those that are repeated', () => {
    fc.assert(
      fc.property(tree, (folded) => {
        const text = unfolded(folded);
        const whole = atOnce(text);
        expect(whole).toBeDefined();
        expect(inPieces(text)).toBe(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused where the whole is refused', () => {
    const part = fc.constantFrom(...'{}[],:"1- \\', '', '""', 'x', ',,', '[]', '{}', '],[', '},{', '"a":', '\u00a0');
    fc.assert(
      fc.property(tree, fc.nat(), part, fc.nat({ max: 2 }), (folded, place, other, removed) => {
        const at = place % (folded.length + 1);
        const text = unfolded(folded.slice(0, at) + other + folded.slice(at + removed));
        expect(inPieces(text)).toBe(atOnce(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['{"b":0~,"a":{"c":1,"c":2}}', '{"b":0~,"a":{"c":1~,"c":2}}', '{"c":0~,"c":[1~,2]}'])(
    'leaves a repeated key known, whether both stand in a piece or not: %s',
    (folded) => {
      expect(inPieces(unfolded(folded))).toContain('repeats a key');
    },
  );
});
