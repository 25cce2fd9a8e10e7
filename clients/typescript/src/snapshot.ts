import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Asset } from './asset-types.js';
import { ConnectionFailed, UnexpectedAnswer } from './errors.js';
import { notOfARegistry, objectIn } from './read-answer.js';

/** Of decompressed text that is looked at together: a few hundred assets. */
const CHUNK_BYTES = 512 * 1024;
/** An asset takes some MiB at most. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
/**
 * Of the answer that are held for the reader. Undici stops reading its socket at that many, and for each time that it goes on 64 KB more come in:
 * a reader that took less at a time would fall behind for ever.
 */
export const SNAPSHOT_BYTES = 512 * 1024;

/** The whole feed from one moment. Its assets are read once, by one of `assets` and `texts`; both come in chunks, the oldest change first. */
export class Snapshot {
  private constructor(
    /** From which the feed goes on after the snapshot. */
    readonly offset: string,
    readonly epoch: string,
    private readonly lines: AsyncGenerator<string[], void, undefined>,
  ) {}

  /**
   * Begins to read.
   * @param body gzip of JSON lines
   * @param signal whose reason is thrown when it is given up
   * @throws UnexpectedAnswer for what is no snapshot
   */
  static async read(body: Readable, signal: AbortSignal | undefined): Promise<Snapshot> {
    const text = createGunzip({ chunkSize: CHUNK_BYTES });
    // Whatever happens to one happens to the other; the reader of the text is told.
    pipeline(body, gulps, text, () => undefined);
    const lines = linesOf(text, signal);
    const { value: [head, ...first] = [] } = (await lines.next()) as { value?: string[] };
    if (head === undefined) throw cut();
    try {
      const { offset, feed_epoch: epoch } = objectIn(head);
      if (typeof offset !== 'string' || typeof epoch !== 'string') throw notOfARegistry(head);
      return new Snapshot(offset, epoch, followed(first, lines));
    } catch (error) {
      // Nobody reads on: the connection is not kept for it.
      body.destroy();
      throw error;
    }
  }

  /** @throws ConnectionFailed when the snapshot is cut: what came before is sound, and the feed goes on from the last asset's dateModified */
  get assets(): AsyncGenerator<Asset[], void, undefined> {
    return parsed(this.lines);
  }

  /** The JSON text of each asset as it came. @throws ConnectionFailed as `assets` */
  get texts(): AsyncGenerator<string[], void, undefined> {
    return this.lines;
  }
}

/** All that has come, at once: see SNAPSHOT_BYTES. */
async function* gulps(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
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

/** Whole lines, some at a time. */
async function* linesOf(text: Readable, signal: AbortSignal | undefined): AsyncGenerator<string[], void, undefined> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      // Much may have come before it was given up.
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
