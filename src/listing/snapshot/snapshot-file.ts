import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FeedView } from '../../database/readers/feed-view.js';

/** Bytes that are buffered for one reader. */
const CHUNK_BYTES = 32 * 1024;
const OWNER_ONLY = 0o600;
const MARK_BYTES = 8;

/** The feed's clock, in microseconds, and its epoch. */
type Moment = Pick<FeedView, 'clockUs' | 'epoch'>;

/**
 * A snapshot on disk, possibly still growing. The file has no name, so that it takes room only while this process has it open, and a killed
 * process leaves nothing behind. All readers share one descriptor.
 */
export class SnapshotFile {
  private readonly begunMs = performance.now();
  private readonly readers = new Set<Readable>();
  /** Called when it has grown or has ended. */
  private waiting: (() => void)[] = [];
  private bytes = 0;
  private isWhole = false;
  private isRetired = false;
  private failure: Error | undefined;

  private constructor(
    readonly moment: Moment,
    private readonly mark: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws Error of the file system */
  static async create(folder: string, { clockUs, epoch }: Moment): Promise<SnapshotFile> {
    const mark = randomBytes(MARK_BYTES).toString('hex');
    const path = join(folder, `snapshot-${mark}`);
    const handle = await open(path, 'wx+', OWNER_ONLY);
    await rm(path, { force: true });
    return new SnapshotFile({ clockUs, epoch }, mark, handle);
  }

  /** In bytes; undefined while it grows. */
  get size(): number | undefined {
    return this.isWhole ? this.bytes : undefined;
  }

  get ageMs(): number {
    return performance.now() - this.begunMs;
  }

  /** A strong tag: no two files have the same. */
  get etag(): string {
    return `"${this.moment.clockUs.toString(36)}-${this.mark}"`;
  }

  async append(chunk: Buffer): Promise<void> {
    await this.handle.appendFile(chunk);
    this.bytes += chunk.length;
    this.wake();
  }

  /** Called when nothing more is written. @param failure why the snapshot is not complete: its readers get it */
  end(failure?: Error): void {
    this.isWhole = failure === undefined;
    this.failure = failure;
    this.wake();
  }

  /** @param to exclusive; without it, reads to the end, and waits for that while the file grows */
  read(from = 0, to = Infinity): Readable {
    const reader = Readable.from(this.chunks(from, to), { objectMode: false, highWaterMark: CHUNK_BYTES });
    this.readers.add(reader);
    return reader.once('close', () => {
      this.readers.delete(reader);
      this.closeIfUnused();
    });
  }

  /** Breaks off what its readers are sent. */
  cut(): void {
    for (const reader of this.readers) reader.destroy(new Error('The snapshot gave way to newer ones'));
  }

  /** Called when no further reader is given it. Its room on disk is free once the last one has gone. */
  retire(): void {
    this.isRetired = true;
    // Whoever was given it just now begins to read in this turn of the event loop.
    setImmediate(() => this.closeIfUnused());
  }

  private closeIfUnused(): void {
    if (this.isRetired && this.readers.size === 0) void this.handle.close();
  }

  private async *chunks(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to;) {
      if (at < this.bytes) {
        const length = Math.min(CHUNK_BYTES, this.bytes - at, to - at);
        const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(length), 0, length, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.isWhole) return;
      else await this.progress();
    }
  }

  /** Resolves when it has grown or is complete. @throws the failure */
  private async progress(): Promise<void> {
    if (this.failure === undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }
}
