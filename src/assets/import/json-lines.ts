import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line of a file, numbered from 1. */
export interface NumberedLine {
  number: number;
  text: string;
}

const STANDARD_INPUT = '-';
/** First two bytes of gzip. Source: RFC 1952 */
const GZIP_MAGIC = [0x1f, 0x8b];

/**
 * Reads the non-empty lines of a file, plain or gzip.
 * @param file `-` for standard input
 * @throws the system's error, zlib's for a truncated file, Error if the file is not UTF-8
 */
export async function* linesOf(file: string): AsyncGenerator<NumberedLine> {
  const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  let number = 0;
  let rest = '';
  for await (const text of textOf(source)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield { number, text: line };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}

/** Counts the lines of a file for a progress bar; 0 for standard input, which can be read only once. */
export async function countLines(file: string): Promise<number> {
  let count = 0;
  if (file !== STANDARD_INPUT) for await (const { number } of linesOf(file)) count = number;
  return count;
}

async function* textOf(source: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of await unpacked(source)) yield decoder.decode(bytes as Buffer, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new Error('The file is not UTF-8', { cause: error });
  }
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
