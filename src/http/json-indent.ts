const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
const LINE_FEED = '\n'.charCodeAt(0);
const OPENING = { object: '{'.charCodeAt(0), array: '['.charCodeAt(0) };
const CLOSING = { object: '}'.charCodeAt(0), array: ']'.charCodeAt(0) };

/** Takes a millisecond or two. */
const BYTES_OF_A_STEP = 128 * 1024;

/**
 * The same compact JSON with line breaks and two spaces a level, step by step; numbers and strings stay as they are written. Both are
 * encoded.
 */
export function* indenting(json: Buffer): Generator<void, Buffer[]> {
  const indented = new IndentedBytes(json.length);
  let isInString = false;
  let pauseAt = BYTES_OF_A_STEP;
  for (let i = 0; i < json.length; i++) {
    const code = json[i] as number;
    if (isInString) {
      indented.add(code);
      if (code === BACKSLASH) indented.add(json[++i] as number);
      else isInString = code !== QUOTE;
    } else if (code === OPENING.object || code === OPENING.array) {
      const next = json[i + 1];
      if (next !== CLOSING.object && next !== CLOSING.array) indented.open(code);
      else for (const one of [code, json[++i] as number]) indented.add(one);
    } else if (code === CLOSING.object || code === CLOSING.array) {
      indented.close(code);
    } else {
      isInString = code === QUOTE;
      indented.add(code);
      if (code === COMMA) indented.addLine();
      else if (code === COLON) indented.add(SPACE);
    }
    if (i < pauseAt) continue;
    pauseAt += BYTES_OF_A_STEP;
    yield;
  }
  return indented.pieces;
}

/** Gathers indented text as bytes: a string of so many pieces would be many times as large, and one buffer that grows is copied too often. */
class IndentedBytes {
  private readonly full: Buffer[] = [];
  private last: Buffer;
  private length = 0;
  private level = 0;

  /** @param least how many there will be */
  constructor(least: number) {
    this.last = Buffer.allocUnsafe(Math.min(Math.ceil(least * 1.5), BYTES_OF_A_STEP));
  }

  get pieces(): Buffer[] {
    return [...this.full, this.last.subarray(0, this.length)];
  }

  add(code: number): void {
    if (this.length === this.last.length) {
      this.full.push(this.last);
      this.last = Buffer.allocUnsafe(BYTES_OF_A_STEP);
      this.length = 0;
    }
    this.last[this.length++] = code;
  }

  open(code: number): void {
    this.level++;
    this.add(code);
    this.addLine();
  }

  close(code: number): void {
    this.level--;
    this.addLine();
    this.add(code);
  }

  addLine(): void {
    this.add(LINE_FEED);
    for (let i = 0; i < 2 * this.level; i++) this.add(SPACE);
  }
}
