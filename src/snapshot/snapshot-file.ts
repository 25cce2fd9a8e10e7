import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotName } from './snapshot-name.js';

/** How much is held in memory for a reader that does not take it. */
const CHUNK_BYTES = 32 * 1024;

/**
 * A snapshot on disk, perhaps one that still grows. All readers share one open file, so that many slow readers use no further descriptors and
 * can go on when a newer snapshot replaces it. The last user closes it.
 */
export class SnapshotFile {
  private users = 1;
  private failure: Error | undefined;
  private waiting: (() => void)[] = [];

  private constructor(
    readonly name: SnapshotName,
    private readonly handle: FileHandle,
    private bytes: number,
    private whole: boolean,
  ) {}

  static async whole(name: SnapshotName, handle: FileHandle): Promise<SnapshotFile> {
    return new SnapshotFile(name, handle, (await handle.stat()).size, true);
  }

  static growing(name: SnapshotName, handle: FileHandle): SnapshotFile {
    return new SnapshotFile(name, handle, 0, false);
  }

  /** In bytes; undefined while it grows. */
  get size(): number | undefined {
    return this.whole ? this.bytes : undefined;
  }

  /** Counts one more user, who must call `release`. */
  retain(): this {
    this.users++;
    return this;
  }

  release(): void {
    if (--this.users === 0) void this.handle.close();
  }

  async append(chunk: Buffer): Promise<void> {
    await this.handle.appendFile(chunk);
    this.bytes += chunk.length;
    this.wake();
  }

  /** Called before the file gets its final name, so that a crash leaves only complete files under such names. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  /** Called when nothing more is written. @param failure why the snapshot is not complete */
  end(failure?: Error): void {
    this.whole = failure === undefined;
    this.failure = failure;
    this.wake();
  }

  /** Waits until it is complete, at most so long. @throws the failure */
  async settle(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    for (let left = patienceMs; !this.whole && left > 0; left = until - performance.now()) {
      await Promise.race([this.progress(), sleep(left, undefined, { ref: false })]);
    }
  }

  /** @param to exclusive; by default the end, which is waited for where the file still grows */
  read(from = 0, to = Infinity): Readable {
    const stream = Readable.from(this.chunks(from, to), { objectMode: false, highWaterMark: CHUNK_BYTES });
    this.retain();
    stream.once('close', () => this.release());
    return stream;
  }

  private async *chunks(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to;) {
      if (at < this.bytes) {
        const length = Math.min(CHUNK_BYTES, this.bytes - at, to - at);
        const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(length), 0, length, at);
        if (bytesRead === 0) throw new Error('The file of the snapshot was cut');
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.whole) return;
      else await this.progress();
    }
  }

  /** Resolves when it has grown or is complete. @throws the failure */
  private async progress(): Promise<void> {
    if (this.failure === undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  private wake(): void {
    for (const goOn of this.waiting.splice(0)) goOn();
  }
}
