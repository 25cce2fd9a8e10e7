import fc from 'fast-check';

/** A code point: half of them ASCII, the others any, lone surrogates included. */
const CODE_POINT = fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10_ff_ff }));

/** Arbitrary text, often a name such as `__proto__`. fast-check's unit `binary` gives the same, but takes seconds to start. */
export const ANY_TEXT = fc.string({ unit: CODE_POINT.map((code) => String.fromCodePoint(code), codePointOf) });

/** The inverse, which fast-check needs for the names that it mixes in. */
function codePointOf(text: unknown): number {
  if (typeof text !== 'string' || [...text].length !== 1) throw new Error('It is not one character');
  return text.codePointAt(0) as number;
}
