import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Asset } from './asset-types.js';
import { ConnectionFailed, UnexpectedAnswer } from './errors.js';
import { notARegistry, objectIn } from './read-answer.js';

/** Decompressed bytes per chunk: a few hundred assets. */
const CHUNK_BYTES = 512 * 1024;
/** Maximum bytes of a line; an asset has some MiB at most. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
/**
 * Buffered bytes of the answer. Undici stops reading its socket at this limit, and reads 64 KB each time it resumes, so a slow reader with a smaller buffer
 * would fall ever further behind.
 */
export const SNAPSHOT_BYTES = 512 * 1024;

/** All listed assets as of one moment. They are read once, by `assets` or by `texts`; both yield chunks, oldest change first. */
export class Snapshot {
  private constructor(
    /** The offset from which the feed continues after the snapshot. */
    readonly offset: string,
    readonly epoch: string,
    private readonly lines: AsyncGenerator<string[], void, undefined>,
  ) {}

  /**
   * Begins to read.
   * @param body gzip of JSON lines
   * @param signal when it aborts, its reason is thrown
   * @throws UnexpectedAnswer if the body is not a snapshot
   */
  static async read(body: Readable, signal: AbortSignal | undefined): Promise<Snapshot> {
    const text = createGunzip({ chunkSize: CHUNK_BYTES });
    // The pipeline forwards errors, which the reader of the text gets.
    pipeline(body, readAvailable, text, () => undefined);
    const lines = linesOf(text, signal);
    const { value: [head, ...first] = [] } = (await lines.next()) as { value?: string[] };
    if (head === undefined) throw cut();
    try {
      const { offset, feed_epoch: epoch } = objectIn(head);
      if (typeof offset !== 'string' || typeof epoch !== 'string') throw notARegistry(head);
      return new Snapshot(offset, epoch, followed(first, lines));
    } catch (error) {
      // Closes the connection, because the rest will not be read.
      body.destroy();
      throw error;
    }
  }

  /** @throws ConnectionFailed if the snapshot is cut: the assets so far are valid, and the feed continues from the last one's dateModified */
  get assets(): AsyncGenerator<Asset[], void, undefined> {
    return parsed(this.lines);
  }

  /** The unchanged JSON text of each asset. @throws ConnectionFailed as `assets` */
  get texts(): AsyncGenerator<string[], void, undefined> {
    return this.lines;
  }
}

/** Reads all buffered bytes at once, so that the socket is read on: see SNAPSHOT_BYTES. */
async function* readAvailable(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* body;
}

async function* followed<T>(
  first: T[],
  others: AsyncGenerator<T[], void, undefined>,
): AsyncGenerator<T[], void, undefined> {
  if (first.length > 0) yield first;
  yield* others;
}

async function* parsed(lines: AsyncIterable<string[]>): AsyncGenerator<Asset[], void, undefined> {
  for await (const texts of lines) yield texts.map((text) => JSON.parse(text) as Asset);
}

/** Complete lines, in chunks. */
async function* linesOf(text: Readable, signal: AbortSignal | undefined): AsyncGenerator<string[], void, undefined> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      // Chunks that arrived before the signal are not yielded.
      signal?.throwIfAborted();
      const end = chunk.lastIndexOf(NEWLINE);
      if (end === -1) {
        begun.push(chunk);
        begunBytes += chunk.length;
        if (begunBytes > MAX_LINE_BYTES) throw new UnexpectedAnswer(`A line has more than ${MAX_LINE_BYTES} bytes`);
        continue;
      }
      const lines = Buffer.concat([...begun, chunk.subarray(0, end)]).toString();
      begun = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
      begunBytes = 0;
      yield lines.split('\n');
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw cut(error);
  }
  if (begun.length > 0) throw cut();
}

function cut(cause?: unknown): ConnectionFailed {
  return new ConnectionFailed('The snapshot was cut before its end', { cause });
}
