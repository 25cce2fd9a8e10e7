/**
 * UTF-8 text as a string with one character for each byte. Text from the database is cut and joined in this form, which saves decoding and
 * encoding it again.
 */
export class EncodedText {
  private constructor(private readonly bytes: string) {}

  static from(bytes: Buffer): EncodedText {
    return new EncodedText(bytes.toString('latin1'));
  }

  /** @param parts strings among them, and `separator`, must be ASCII */
  static join(parts: readonly AnyText[], separator: string): EncodedText {
    return new EncodedText(parts.map((part) => (typeof part === 'string' ? part : part.bytes)).join(separator));
  }

  /** @param change sees a character for each byte, and may add only ASCII */
  map(change: (bytes: string) => string): EncodedText {
    return new EncodedText(change(this.bytes));
  }

  /** @param before ASCII, as `after` */
  enclosed(before: string, after: string): EncodedText {
    return new EncodedText(before + this.bytes + after);
  }

  /** Removes the first and the last character, which must be ASCII. */
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

  /** @param encoding `latin1`: a character for each byte; else it is decoded */
  toString(encoding: 'utf8' | 'latin1' = 'utf8'): string {
    return encoding === 'latin1' ? this.bytes : this.toBuffer().toString();
  }
}

export type AnyText = string | EncodedText;

/** Puts `before` and `after`, both ASCII, around a text of either kind. */
export function enclosed<Text extends AnyText>(before: string, text: Text, after: string): Text {
  return (typeof text === 'string' ? before + text + after : text.enclosed(before, after)) as Text;
}

/** Removes the first and the last character, which must be ASCII, from a text of either kind. */
export function inner<Text extends AnyText>(text: Text): Text {
  return (typeof text === 'string' ? text.slice(1, -1) : text.inner()) as Text;
}

/** Encoded bytes: a buffer, or a string with a character for each byte. */
export type Bytes = string | Buffer;

/**
 * Text for a stream with the encoding latin1. Encoded text stays a string, because Node writes a string together with the head of an answer,
 * which is faster than a separate buffer.
 */
export function bytesOf(text: AnyText): Bytes {
  return typeof text === 'string' ? Buffer.from(text) : text.toString('latin1');
}
