import fc from 'fast-check';

/** One of ASCII as often as any other, lone surrogates among them. */
const CODE_POINT = fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10_ff_ff }));

/** Any text, and names such as `__proto__` often. What fast-check makes of its unit `binary` is the same, but takes seconds to begin. */
export const ANY_TEXT = fc.string({ unit: CODE_POINT.map((code) => String.fromCodePoint(code), codePointOf) });

/** The way back, by which fast-check finds the names that it mixes in. */
function codePointOf(text: unknown): number {
  if (typeof text !== 'string' || [...text].length !== 1) throw new Error('It is not one character');
  return text.codePointAt(0) as number;
}
