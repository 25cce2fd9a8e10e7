import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line of a file, numbered from 1. */
export interface NumberedLine {
  number: number;
  text: string;
  isUtf8: boolean;
}

export const STANDARD_INPUT = '-';
/** First two bytes of gzip. Source: RFC 1952 */
const GZIP_MAGIC = [0x1f, 0x8b];
const LF = 0x0a;
/** Far more than an asset has; a file of one endless line ends here. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Removes a byte order mark, and replaces bytes that are not UTF-8. */
const decoder = new TextDecoder();

/**
 * Reads the non-empty lines of a file, plain or gzip.
 * @param file `-` for standard input
 * @throws the system's error, zlib's for a truncated file, Error if a line is too long
 */
export async function* linesOf(file: string): AsyncGenerator<NumberedLine> {
  const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  let number = 0;
  for await (const bytes of linesIn(await unpacked(source))) {
    number++;
    const text = decoder.decode(bytes);
    if (text.trim() !== '') yield { number, text, isUtf8: isUtf8(bytes) };
  }
}

/** Counts the lines of a file for a progress bar; 0 for standard input, which can be read only once. */
export async function countLines(file: string): Promise<number> {
  let count = 0;
  if (file !== STANDARD_INPUT) for await (const { number } of linesOf(file)) count = number;
  return count;
}

/** @throws Error if a line is too long */
async function* linesIn(chunks: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let begin = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, begin)) {
      yield bytes.subarray(begin, end);
      begin = end + 1;
    }
    rest = bytes.subarray(begin);
    if (rest.length > MAX_LINE_BYTES)
      throw new Error('A line has more than 16 MB: the file must be JSON lines, one asset a line');
  }
  yield rest;
}

async function unpacked(source: Readable): Promise<AsyncIterable<unknown>> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { value: first, done } = await chunks.next();
  if (done === true) return source;
  const whole = joined(first as Buffer, chunks);
  return GZIP_MAGIC.every((byte, i) => (first as Buffer)[i] === byte) ? inflated(whole) : whole;
}

async function* joined(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => others };
}

function inflated(content: AsyncIterable<Buffer>): Readable {
  const packed = Readable.from(content, { objectMode: false });
  return pipeline(packed, createGunzip(), () => undefined);
}
