/**
 * Text as its bytes in UTF-8, held as a string that has a character for each of them. The database's text comes and goes so: it is cut
 * and joined as any string, and copied only, where a decoded one would have to be encoded again.
 */
export class EncodedText {
  private constructor(private readonly bytes: string) {}

  static from(bytes: Buffer): EncodedText {
    return new EncodedText(bytes.toString('latin1'));
  }

  /** @param parts where they are strings, of ASCII, as `separator` is */
  static join(parts: readonly AnyText[], separator: string): EncodedText {
    return new EncodedText(parts.map((part) => (typeof part === 'string' ? part : part.bytes)).join(separator));
  }

  /** What becomes of it in `change`, which sees a character for each byte, and adds ASCII only. */
  map(change: (bytes: string) => string): EncodedText {
    return new EncodedText(change(this.bytes));
  }

  /** @param before as `after` of ASCII */
  enclosed(before: string, after: string): EncodedText {
    return new EncodedText(before + this.bytes + after);
  }

  /** Without the first and the last character, which are ASCII. */
  inner(): EncodedText {
    return new EncodedText(this.bytes.slice(1, -1));
  }

  /** In bytes. */
  get length(): number {
    return this.bytes.length;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1');
  }

  /** @param encoding `latin1` for a character for each byte, else it is decoded */
  toString(encoding: 'utf8' | 'latin1' = 'utf8'): string {
    return encoding === 'latin1' ? this.bytes : this.toBuffer().toString();
  }
}

/** Text that is encoded already, or is not yet. */
export type AnyText = string | EncodedText;

/** Puts `before` and `after`, both of ASCII, around a text of either kind. */
export function enclosed<Text extends AnyText>(before: string, text: Text, after: string): Text {
  return (typeof text === 'string' ? before + text + after : text.enclosed(before, after)) as Text;
}

/** A text of either kind without its first and its last character, which are ASCII. */
export function inner<Text extends AnyText>(text: Text): Text {
  return (typeof text === 'string' ? text.slice(1, -1) : text.inner()) as Text;
}

/** Encoded bytes: a buffer, or a string with a character for each. */
export type Bytes = string | Buffer;

/**
 * Text as a stream takes it with the encoding latin1. Encoded text stays a string: Node writes it together with the head of an answer, which
 * takes less than a buffer of its own.
 */
export function bytesOf(text: AnyText): Bytes {
  return typeof text === 'string' ? Buffer.from(text) : text.toString('latin1');
}
