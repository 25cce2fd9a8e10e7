/**
 * Larger ones are not made strings: V8 would collect those late, where a few hundred megabytes of them wait to be sent. What is outside of its
 * heap is let go soon, and a socket takes it without a copy.
 */
const LARGE = 64 * 1024;

/** A part of an encoded text: bytes, or a string with a character for each. */
export type Chunk = string | Buffer;

/**
 * Text as its bytes in UTF-8, held as a string that has a character for each of them. The database's text comes and goes so: it is cut
 * and joined as any string, and copied only, where a decoded one would have to be encoded again. Of a large one the bytes stay where they are.
 */
export class EncodedText {
  private constructor(private readonly bytes: string | readonly Chunk[]) {}

  static from(bytes: Buffer): EncodedText {
    return new EncodedText(bytes.length < LARGE ? bytes.toString('latin1') : [bytes]);
  }

  /** @param parts where they are strings, of ASCII, as `separator` is */
  static join(parts: readonly AnyText[], separator: string): EncodedText {
    const held = parts.map((part) => (part instanceof EncodedText ? part.bytes : part));
    if (held.every((part) => typeof part === 'string')) {
      const bytes = held.join(separator);
      return new EncodedText(bytes.length < LARGE ? bytes : [Buffer.from(bytes, 'latin1')]);
    }
    const chunks: Chunk[] = [];
    held.forEach((part, i) => {
      if (i > 0) append(chunks, separator);
      for (const chunk of typeof part === 'string' ? [part] : part) append(chunks, chunk);
    });
    return new EncodedText(chunks);
  }

  /** What becomes of it in `change`, which sees a character for each byte, and adds ASCII only. */
  map(change: (bytes: string) => string): EncodedText {
    return new EncodedText(change(this.toString('latin1')));
  }

  /** @param before as `after` of ASCII */
  enclosed(before: string, after: string): EncodedText {
    // What is added so is copied when it is written or joined, once however much is put around it.
    if (typeof this.bytes === 'string') return new EncodedText(before + this.bytes + after);
    return EncodedText.join([before, this, after], '');
  }

  /** Without the first and the last character, which are ASCII. */
  inner(): EncodedText {
    if (typeof this.bytes === 'string') return new EncodedText(this.bytes.slice(1, -1));
    const last = this.bytes.length - 1;
    const cut = (chunk: Chunk, start: number, end?: number): Chunk =>
      typeof chunk === 'string' ? chunk.slice(start, end) : chunk.subarray(start, end);
    const bytes = this.bytes.with(0, cut(this.bytes[0] as Chunk, 1));
    return new EncodedText(bytes.with(last, cut(bytes[last] as Chunk, 0, -1)));
  }

  /** In bytes. */
  get length(): number {
    return typeof this.bytes === 'string' ? this.bytes.length : lengthOf(this.bytes);
  }

  get chunks(): readonly Chunk[] {
    return typeof this.bytes === 'string' ? [this.bytes] : this.bytes;
  }

  toBuffer(): Buffer {
    return bufferOf(this.chunks);
  }

  /** @param encoding `latin1` for a character for each byte, else it is decoded */
  toString(encoding: 'utf8' | 'latin1' = 'utf8'): string {
    if (encoding === 'latin1' && typeof this.bytes === 'string') return this.bytes;
    return this.toBuffer().toString(encoding);
  }
}

/** Strings that stand beside each other become one: there may be a thousand small ones beside a large one. */
function append(chunks: Chunk[], chunk: Chunk): void {
  const last = chunks.at(-1);
  if (chunk.length === 0) return;
  if (typeof last === 'string' && typeof chunk === 'string') chunks[chunks.length - 1] = last + chunk;
  else chunks.push(chunk);
}

/** In bytes. */
export function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** All of them; a copy, unless it is one Buffer. */
export function bufferOf(chunks: readonly Chunk[]): Buffer {
  const buffers = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk));
  return buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers);
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

/**
 * Text as a stream takes it with the encoding latin1. Encoded text stays a string where it is small: Node writes it together with the head of an
 * answer, which takes less than a buffer of its own.
 */
export function chunksOf(text: AnyText): readonly Chunk[] {
  return typeof text === 'string' ? [Buffer.from(text)] : text.chunks;
}
