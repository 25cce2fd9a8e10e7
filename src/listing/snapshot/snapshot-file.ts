import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FeedView } from '../../database/readers/feed-view.js';

/** Buffer size of one reader. */
const CHUNK_BYTES = 32 * 1024;
const OWNER_ONLY = 0o600;
const MARK_BYTES = 8;

/** The feed's clock, in microseconds, and its epoch. */
type Moment = Pick<FeedView, 'clockUs' | 'epoch'>;

/**
 * A snapshot on disk, possibly still growing. The file is unlinked, so that it occupies disk space only while this process has it open, and a
 * killed process leaves nothing behind. All readers share one descriptor.
 */
export class SnapshotFile {
  private readonly begunMs = performance.now();
  private readonly readers = new Set<Readable>();
  /** Readers that wait for it to grow or end. */
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

  /** A strong tag, unique per file. */
  get etag(): string {
    return `"${this.moment.clockUs.toString(36)}-${this.mark}"`;
  }

  async append(chunk: Buffer): Promise<void> {
    await this.handle.appendFile(chunk);
    this.bytes += chunk.length;
    this.wake();
  }

  /** Ends writing. @param failure why the snapshot is not complete; its readers fail with it */
  end(failure?: Error): void {
    this.isWhole = failure === undefined;
    this.failure = failure;
    this.wake();
  }

  /** @param to exclusive; by default reads to the end, and waits while the file grows */
  read(from = 0, to = Infinity): Readable {
    const reader = Readable.from(this.chunks(from, to), { objectMode: false, highWaterMark: CHUNK_BYTES });
    this.readers.add(reader);
    return reader.once('close', () => {
      this.readers.delete(reader);
      this.closeIfUnused();
    });
  }

  /** Disconnects its readers. */
  cut(): void {
    for (const reader of this.readers) reader.destroy(new Error('The snapshot was replaced by newer ones'));
  }

  /** Called when it gets no further readers. Its disk space is freed with the last one. */
  retire(): void {
    this.isRetired = true;
    // A reader that has just received it begins to read in this round of the event loop.
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

  /** Resolves when it has grown or is complete. @throws the failure passed to `end` */
  private async progress(): Promise<void> {
    if (this.failure === undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }
}
