import type { JsonPieces } from './json-pieces.js';

/*
 * JSON as text. JavaScript's own parser forgets how a number was written, takes the last of two equal keys and accepts any depth; the
 * registry must know these. A number is kept exactly or refused, so its text is checked before it becomes a double.
 */

/** What a linear scan finds in a JSON text. It does not check the syntax: parse the text afterwards. */
export interface JsonFindings {
  /** Deepest nesting; the outermost object is 1. */
  depth: number;
  /** Commas between the values of all objects and arrays. */
  commas: number;
  /** Objects and arrays: those that hold one another have no commas. */
  nested: number;
  /** Members of all objects. Where the parsed value has fewer, the text repeats a key. */
  members: number;
  /** Members of the object that has the most. */
  membersOfOne: number;
  /** Paths of the numbers that a double, or the registry's decimal rule, would not keep exactly. */
  inexactNumbers: (string | number)[][];
}

/** Where a scan stops. */
interface JsonBounds {
  depth: number;
  members: number;
  membersOfOne: number;
  /** Number of commas, objects and arrays. */
  values: number;
  inexactNumbers: number;
}

/** An object or an array that the scan is in. */
interface Frame {
  isArray: boolean;
  /** In an array: the index of the element. In an object: where in the text the quote stands that opens the member's key. */
  at: number;
  /** The key that begins there, once it was decoded. */
  key: string | undefined;
  expectsKey: boolean;
  members: number;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
const OPENING = { object: '{'.charCodeAt(0), array: '['.charCodeAt(0) };
const CLOSING = { object: '}'.charCodeAt(0), array: ']'.charCodeAt(0) };
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Brackets, commas, blanks and values: of short numbers, which take the longest, a millisecond or two. */
const READ_IN_A_STEP = 8 * 1024;

/**
 * Scans `text` once, step by step and without recursion, and stops as soon as a limit is exceeded.
 * @param pieces to cut it into
 * @throws SyntaxError for a key on the path of an inexact number that cannot be decoded
 */
export function* inspectJson(text: string, most: JsonBounds, pieces?: JsonPieces): Generator<void, JsonFindings> {
  const scan = new JsonScan(text, most, pieces);
  while (!scan.reads(READ_IN_A_STEP)) yield;
  return scan.findings;
}

class JsonScan {
  readonly findings: JsonFindings = {
    depth: 0,
    commas: 0,
    nested: 0,
    members: 0,
    membersOfOne: 0,
    inexactNumbers: [],
  };
  private readonly frames: Frame[] = [];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly most: JsonBounds,
    private readonly pieces: JsonPieces | undefined,
  ) {}

  /** @returns whether it has come to the end, or to a limit */
  reads(count: number): boolean {
    const { text, most, findings, frames, pieces } = this;
    let frame = frames.at(-1);
    let i = this.at;
    for (let left = count; left > 0 && i < text.length; left--, i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        if (frame?.expectsKey) enterMember(frame, i, findings);
        if (findings.members > most.members || findings.membersOfOne > most.membersOfOne) return true;
        i = endOfString(text, i);
      } else if (code === OPENING.object || code === OPENING.array) {
        const isArray = code === OPENING.array;
        frame = { isArray, at: 0, key: undefined, expectsKey: !isArray, members: 0 };
        pieces?.open(i, isArray);
        findings.depth = Math.max(findings.depth, frames.push(frame));
        if (frames.length > most.depth || ++findings.nested > most.values) return true;
      } else if (code === CLOSING.object || code === CLOSING.array) {
        frames.pop();
        pieces?.close(i);
        frame = frames.at(-1);
      } else if (code === COMMA && frame !== undefined) {
        if (++findings.commas > most.values) return true;
        pieces?.comma(i);
        if (frame.isArray) frame.at++;
        else frame.expectsKey = true;
      } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
        i = this.readNumber(i) - 1;
        if (findings.inexactNumbers.length > most.inexactNumbers) return true;
      }
    }
    this.at = i;
    return i >= text.length;
  }

  /** @returns where it ends */
  private readNumber(start: number): number {
    const lexeme = numberAt(this.text, start);
    if (!isExactDecimal(lexeme))
      this.findings.inexactNumbers.push(this.frames.map((outer) => stepOf(this.text, outer)));
    return start + Math.max(lexeme.length, 1);
  }
}

function enterMember(frame: Frame, quote: number, findings: JsonFindings): void {
  findings.members++;
  findings.membersOfOne = Math.max(findings.membersOfOne, ++frame.members);
  frame.at = quote;
  frame.key = undefined;
  frame.expectsKey = false;
}

/** A step of the path to where the scan is. A key is decoded once, however many numbers are below it. */
function stepOf(text: string, frame: Frame): string | number {
  if (frame.isArray) return frame.at;
  frame.key ??= JSON.parse(text.slice(frame.at, endOfString(text, frame.at) + 1)) as string;
  return frame.key;
}

/** The number that begins at `start`; empty where only its first character looks like one. */
function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)?.[0] ?? '';
}

/** Index of the quote that closes the string opened at `start`, or the last index of an unclosed one. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end >= 0 && text.charCodeAt(end - 1) !== BACKSLASH) return end;
  // It has escapes, or no end: one character after the other.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length - 1;
}

/** Members of all objects in a parsed value, where equal keys have become one. Recursive: the depth must have been checked before. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((count, element) => count + countMembers(element), 0);
  const keys = Object.keys(value);
  // By the keys: Object.values() is several times as slow for an object with very many members.
  return keys.reduce((count, key) => count + countMembers((value as Record<string, unknown>)[key]), keys.length);
}

/** Whether a number is kept to the digit: up to 15 significant digits, 9 decimals, at most 10^15. Source: contract section 1. */
export function isExactDecimal(lexeme: string): boolean {
  // A short cut for the most usual numbers.
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
