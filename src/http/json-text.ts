/*
 * Checks of JSON that JSON.parse() does not make: it loses how a number was written, takes the last of two equal keys and accepts any depth.
 * A number is stored exactly or refused, so its text is checked before it becomes a double.
 */

/** Counts of a linear scan. They are right only if the text is valid JSON: parse it afterwards. */
export interface JsonCounts {
  /** Deepest nesting; the outermost object is 1. */
  depth: number;
  /** Members of all objects. If the parsed value has fewer, the text repeats a key. */
  members: number;
  /** Objects, arrays, and commas between values: about the number of values. */
  values: number;
  /** Whether some number cannot be stored exactly. */
  hasInexactNumber: boolean;
}

const CODES = {
  quote: '"'.charCodeAt(0),
  backslash: '\\'.charCodeAt(0),
  colon: ':'.charCodeAt(0),
  comma: ','.charCodeAt(0),
  minus: '-'.charCodeAt(0),
  zero: '0'.charCodeAt(0),
  nine: '9'.charCodeAt(0),
  openObject: '{'.charCodeAt(0),
  closeObject: '}'.charCodeAt(0),
  openArray: '['.charCodeAt(0),
  closeArray: ']'.charCodeAt(0),
};
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Scans `text` once. It does not check the syntax. */
export function countJson(text: string): JsonCounts {
  const counts: JsonCounts = { depth: 0, members: 0, values: 0, hasInexactNumber: false };
  let level = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === CODES.quote) i = endOfString(text, i);
    else if (code === CODES.colon) counts.members++;
    else if (code === CODES.comma) counts.values++;
    else if (code === CODES.openObject || code === CODES.openArray) {
      counts.values++;
      counts.depth = Math.max(counts.depth, ++level);
    } else if (code === CODES.closeObject || code === CODES.closeArray) level--;
    else if (code === CODES.minus || (code >= CODES.zero && code <= CODES.nine)) {
      const lexeme = numberAt(text, i);
      counts.hasInexactNumber ||= !isExactDecimal(lexeme);
      i += Math.max(lexeme.length, 1) - 1;
    }
  }
  return counts;
}

/** The number that begins at `start`; empty if only its first character looks like one. */
function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)?.[0] ?? '';
}

/**
 * Parses JSON; a number that cannot be stored exactly becomes NaN, which no field accepts. Several times slower than plain JSON.parse.
 * @throws SyntaxError
 */
export function parseMarkingInexact(text: string): unknown {
  return engine.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !isExactDecimal(source) ? NaN : value,
  );
}

/** Indents JSON by two spaces. Numbers stay as they are written. */
export function indentJson(text: string): string {
  const value = engine.parse(text, (_key, member, { source }) =>
    typeof member === 'number' ? engine.rawJSON(source) : member,
  );
  return JSON.stringify(value, null, 2);
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;

/** Features of JSON that TypeScript's types lack; Node has had them since version 21. */
const engine = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
};

/** Index of the quote that closes the string opened at `start`, or the last index of an unclosed one. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end >= 0 && text.charCodeAt(end - 1) !== CODES.backslash) return end;
  // The string has escapes or is not closed: scan each character.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === CODES.quote) return at;
    if (code === CODES.backslash) at++;
  }
  return text.length - 1;
}

/** Counts the members of all objects in a parsed value. Recursive: check the depth before. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((count, element) => count + countMembers(element), 0);
  const keys = Object.keys(value);
  // Object.values() is several times slower for an object with very many members.
  return keys.reduce((count, key) => count + countMembers((value as Record<string, unknown>)[key]), keys.length);
}

/** Whether a number is stored exactly: up to 15 significant digits, 9 decimals, at most 10^15. Source: contract section 1. */
export function isExactDecimal(lexeme: string): boolean {
  // A shortcut for common numbers.
  if (lexeme.length <= 15 && /^\d+(?:\.\d{1,9})?$/.test(lexeme)) return true;
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return true;
  const significant = withoutLastZeros(digits);
  const decimals = fraction.length - Number(exponent) - (digits.length - significant.length);
  return significant.length <= 15 && decimals <= 9 && Math.abs(Number(lexeme)) <= 1e15;
}

/** No regular expression: /0+$/ would take quadratic time on many zeros. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** The members of a compact JSON object as name and text of the value, in their order. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let i = 1;
  while (i < text.length - 1) {
    const keyEnd = endOfString(text, i);
    const valueEnd = endOfValue(text, keyEnd + 2);
    members.set(JSON.parse(text.slice(i, keyEnd + 1)) as string, text.slice(keyEnd + 2, valueEnd));
    i = valueEnd + 1;
  }
  return members;
}

function endOfValue(text: string, start: number): number {
  let level = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = endOfString(text, i);
    else if (char === '{' || char === '[') level++;
    else if (char === '}' || char === ']' || char === ',') {
      if (level === 0) return i;
      if (char !== ',') level--;
    }
  }
  return text.length;
}
