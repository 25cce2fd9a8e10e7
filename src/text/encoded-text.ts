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
    return new EncodedText(parts.map((part) => (part instanceof EncodedText ? part.bytes : part)).join(separator));
  }

  /** What becomes of it in `change`, which sees a character for each byte, and adds ASCII only. */
  map(change: (bytes: string) => string): EncodedText {
    return new EncodedText(change(this.bytes));
  }

  /** In bytes. */
  get length(): number {
    return this.bytes.length;
  }

  /** A character for each byte. */
  toChunk(): string {
    return this.bytes;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1');
  }

  /** Decoded. */
  toString(): string {
    return this.toBuffer().toString();
  }
}

/** Text that is encoded already, or is not yet. */
export type AnyText = string | EncodedText;

/** The same for both kinds of text. @param change adds ASCII only */
export function mapText<Text extends AnyText>(text: Text, change: (text: string) => string): Text {
  return (typeof text === 'string' ? change(text) : text.map(change)) as Text;
}

/**
 * Text as a stream takes it with the encoding latin1; its length is its bytes. Encoded text stays a string: Node writes it together with
 * the head of an answer, which takes less than a buffer of its own.
 */
export function chunkOf(text: AnyText): string | Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text.toChunk();
}
