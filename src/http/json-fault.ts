/*
 * Where a JSON text breaks off, and why. Read only where the text has been refused already: what refuses it is faster, and forgets the place.
 */

/** What may be told of a key without repeating what a hostile one holds. */
const PLAIN_KEY = /^[A-Za-z]{1,40}$/;
/** A number or a literal. What follows is looked at apart: an expression would go back for each digit. */
const VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BEHIND_A_VALUE = new Set<string | undefined>([...' \t\n\r,:{}[]"'.split(''), undefined]);
const SHORT_ESCAPES = '"\\/bfnrt';
const HEX = /^[\dA-Fa-f]{4}$/;
const BLANKS = /[ \t\n\r]*/y;
const NO_BLANK = /[^ \t\n\r]/;
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** Of values and keys of one or two characters, which take the longest, a millisecond or two. One string may be a megabyte of escapes. */
const CHARACTERS_OF_A_STEP = 8 * 1024;
/** Lines that are counted in a step. */
const LINES_OF_A_STEP = 16 * 1024;

/**
 * The first fault of `text`, as the end of a sentence with the line and the column; undefined where it is JSON and no object repeats a key.
 * Step by step. Recursive: the depth must have been checked before.
 */
export function* findJsonFault(text: string): Generator<void, string | undefined> {
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark';
  if (!NO_BLANK.test(text)) return 'it is empty';
  try {
    yield* new FaultFinder(text).readAll();
    return undefined;
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    const { message, at } = error;
    return `${at < text.length ? message : 'it breaks off at'} ${yield* placeIn(text, at)}`;
  }
}

/** Where somebody who reads it in an editor finds it. */
function* placeIn(text: string, at: number): Generator<void, string> {
  let line = 1;
  let lineBegin = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', lineBegin)) {
    lineBegin = end + 1;
    if (++line % LINES_OF_A_STEP === 0) yield;
  }
  return `line ${line}, column ${at - lineBegin + 1}`;
}

/** Ends the reading. */
class Found extends Error {
  constructor(
    what: string,
    readonly at: number,
  ) {
    super(what);
  }
}

class FaultFinder {
  private at = 0;
  private pauseAt = CHARACTERS_OF_A_STEP;

  constructor(private readonly text: string) {}

  /** @throws Found */
  *readAll(): Generator<void, void> {
    this.skipBlanks();
    yield* this.readValue();
    this.skipBlanks();
    if (this.at < this.text.length) this.fail('it should have ended before');
  }

  private *readValue(): Generator<void, void> {
    const closing = this.readSimple();
    if (closing !== undefined) yield* this.readLong(closing);
  }

  /** @returns what closes the object, the array or the string that begins here, and is not read */
  private readSimple(): string | undefined {
    this.skipBlanks();
    const first = this.text[this.at];
    if (first === '{') return '}';
    if (first === '[') return ']';
    if (first === '"') return '"';
    this.readWord();
    return undefined;
  }

  private readLong(closing: string): Generator<void, void> {
    return closing === '"' ? this.readString() : this.readList(closing);
  }

  /** What stands between an opening and a closing bracket, with commas between. */
  private *readList(closing: string): Generator<void, void> {
    const keys = closing === '}' ? new Set<string>() : undefined;
    let comma = this.at++;
    this.skipBlanks();
    if (this.takes(closing)) return;
    for (;;) {
      if (this.isStepOver(this.at)) yield;
      this.skipBlanks();
      if (this.text[this.at] === ',') this.fail('a comma too many stands at');
      if (this.text[this.at] === closing) this.fail('a comma too many stands at', comma);
      if (keys !== undefined) yield* this.readKey(keys);
      const inner = this.readSimple();
      // Numbers and literals may be the most, and take no generator.
      if (inner !== undefined) yield* this.readLong(inner);
      this.skipBlanks();
      if (this.takes(closing)) return;
      comma = this.at;
      if (!this.takes(',')) this.fail(`a comma or ${closing} is missing at`);
    }
  }

  /** With its colon. */
  private *readKey(keys: Set<string>): Generator<void, void> {
    const begin = this.at;
    if (this.text[begin] !== '"') this.fail('a key in double quotes is missing at');
    yield* this.readString();
    const written = this.text.slice(begin, this.at);
    const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
    if (keys.has(key)) this.fail(`${PLAIN_KEY.test(key) ? `the key ${key}` : 'a key'} is repeated at`, begin);
    keys.add(key);
    this.skipBlanks();
    if (!this.takes(':')) this.fail('a colon is missing at');
  }

  private *readString(): Generator<void, void> {
    const { text, at: begin } = this;
    // A local variable: a text may have a million characters.
    for (let at = begin + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at = this.endOfEscape(at);
      else if (code < SPACE) this.fail('a line break, or another control character, stands in a string at', at);
      else if (code === QUOTE) {
        this.at = at + 1;
        return;
      }
      if (this.isStepOver(at)) yield;
    }
    this.at = text.length;
    this.fail('the string is not closed that begins at', begin);
  }

  private isStepOver(at: number): boolean {
    if (at < this.pauseAt) return false;
    this.pauseAt = at + CHARACTERS_OF_A_STEP;
    return true;
  }

  /** @returns the place of its last character */
  private endOfEscape(at: number): number {
    const { text } = this;
    const letter = text[at + 1] ?? '';
    if (letter === 'u' && HEX.test(text.slice(at + 2, at + 6))) return at + 5;
    if (letter === '' || !SHORT_ESCAPES.includes(letter)) this.fail('a backslash begins no escape at', at);
    return at + 1;
  }

  private readWord(): void {
    VALUE.lastIndex = this.at;
    const isValue = VALUE.test(this.text) && BEHIND_A_VALUE.has(this.text[VALUE.lastIndex]);
    if (!isValue) this.fail('no JSON value stands at');
    this.at = VALUE.lastIndex;
  }

  private skipBlanks(): void {
    // Most places have none.
    if (this.text.charCodeAt(this.at) > SPACE) return;
    BLANKS.lastIndex = this.at;
    BLANKS.test(this.text);
    this.at = BLANKS.lastIndex;
  }

  private takes(char: string): boolean {
    const stands = this.text[this.at] === char;
    if (stands) this.at++;
    return stands;
  }

  private fail(what: string, at = this.at): never {
    throw new Found(what, at);
  }
}
