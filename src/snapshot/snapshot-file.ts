import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotName } from './snapshot-name.js';

/** All that is held for a reader who does not take it. */
const CHUNK_BYTES = 32 * 1024;

/**
 * A snapshot on the disk, perhaps one that still grows. It is open once for all who read it, so that many slow readers take no descriptors, and
 * none of them minds that another one has taken its place: the last who uses it closes it.
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

  /** For one more user, who releases it. */
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

  /** What a crash leaves under its last name shall be all of it. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  /** It has come to its end. @param failure why that is not the end of the snapshot */
  end(failure?: Error): void {
    this.whole = failure === undefined;
    this.failure = failure;
    this.wake();
  }

  /** Waits for the end, but not for long. @throws why it has failed */
  async settle(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    for (let left = patienceMs; !this.whole && left > 0; left = until - performance.now()) {
      await Promise.race([this.progress(), sleep(left, undefined, { ref: false })]);
    }
  }

  /** @param to without it; where it is left out, the end, also that of one which grows */
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

  /** Resolves when there is more of it, or an end. */
  private async progress(): Promise<void> {
    if (this.failure === undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  private wake(): void {
    for (const goOn of this.waiting.splice(0)) goOn();
  }
}
