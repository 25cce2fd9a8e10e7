/*
 * Where a JSON text breaks off, and why. Read only where the text has been refused already: what refuses it is faster, and forgets the place.
 */

/** What may be told of a key without repeating what a hostile one holds. */
const PLAIN_KEY = /^[A-Za-z]{1,40}$/;
/** A number, a literal, or what stands in the place of one. */
const WORD = /[^ \t\n\r,:{}[\]"]+/y;
const VALUE = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const SHORT_ESCAPES = '"\\/bfnrt';
const HEX = /^[\dA-Fa-f]{4}$/;
const BLANKS = /[ \t\n\r]*/y;
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/**
 * The first fault of `text`, as the end of a sentence with the line and the column; undefined where it is JSON and no object repeats a key.
 * Recursive: the depth must have been checked before.
 */
export function findJsonFault(text: string): string | undefined {
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark';
  try {
    new FaultFinder(text).readAll();
    return undefined;
  } catch (error) {
    if (error instanceof Found) return error.message;
    throw error;
  }
}

/** Ends the reading. */
class Found extends Error {}

class FaultFinder {
  private at = 0;

  constructor(private readonly text: string) {}

  /** @throws Found */
  readAll(): void {
    this.skipBlanks();
    if (this.at === this.text.length) throw new Found('it is empty');
    this.readValue();
    this.skipBlanks();
    if (this.at < this.text.length) this.fail('it should have ended before');
  }

  private readValue(): void {
    this.skipBlanks();
    const first = this.text[this.at];
    if (first === '{') {
      const keys = new Set<string>();
      this.readList('}', () => this.readMember(keys));
    } else if (first === '[') this.readList(']', () => this.readValue());
    else if (first === '"') this.readString();
    else this.readWord();
  }

  /** What stands between an opening and a closing bracket, with commas between. */
  private readList(closing: string, readOne: () => void): void {
    let comma = this.at++;
    this.skipBlanks();
    if (this.takes(closing)) return;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] === ',') this.fail('a comma too many stands at');
      if (this.text[this.at] === closing) this.fail('a comma too many stands at', comma);
      readOne();
      this.skipBlanks();
      if (this.takes(closing)) return;
      comma = this.at;
      if (!this.takes(',')) this.fail(`a comma or ${closing} is missing at`);
    }
  }

  private readMember(keys: Set<string>): void {
    const begin = this.at;
    if (this.text[begin] !== '"') this.fail('a key in double quotes is missing at');
    this.readString();
    const written = this.text.slice(begin, this.at);
    const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
    if (keys.has(key)) this.fail(`${PLAIN_KEY.test(key) ? `the key ${key}` : 'a key'} is repeated at`, begin);
    keys.add(key);
    this.skipBlanks();
    if (!this.takes(':')) this.fail('a colon is missing at');
    this.readValue();
  }

  private readString(): void {
    const { text } = this;
    const begin = this.at++;
    for (; this.at < text.length; this.at++) {
      const code = text.charCodeAt(this.at);
      if (code === BACKSLASH) this.skipEscape();
      else if (code < SPACE) this.fail('a line break, or another control character, stands in a string at');
      else if (code === QUOTE) {
        this.at++;
        return;
      }
    }
    this.fail('the string is not closed that begins at', begin);
  }

  /** Up to its last character. */
  private skipEscape(): void {
    const { text, at } = this;
    const letter = text[at + 1] ?? '';
    if (letter === 'u' && HEX.test(text.slice(at + 2, at + 6))) this.at += 5;
    else if (letter !== '' && SHORT_ESCAPES.includes(letter)) this.at++;
    else this.fail('a backslash begins no escape at');
  }

  private readWord(): void {
    WORD.lastIndex = this.at;
    const [word = ''] = WORD.exec(this.text) ?? [];
    if (!VALUE.test(word)) this.fail('no JSON value stands at');
    this.at += word.length;
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
    let line = 1;
    let lineBegin = 0;
    for (let end = this.text.indexOf('\n'); end >= 0 && end < at; end = this.text.indexOf('\n', lineBegin)) {
      line++;
      lineBegin = end + 1;
    }
    const column = at - lineBegin + 1;
    throw new Found(`${at < this.text.length ? what : 'it breaks off at'} line ${line}, column ${column}`);
  }
}
