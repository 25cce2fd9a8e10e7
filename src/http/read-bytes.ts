import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, malformedRequest } from '../errors/errors.js';
import { LARGE_BYTES, type Requester } from '../event-loop/turns.js';
import type { RegistryResponse } from './exchange.js';

export const NO_BYTES = Buffer.alloc(0);

/** How much of a body that is too large is read and thrown away, so that its client comes to read the refusal. */
const MOST_DISCARDED = 16 * 1024 * 1024;

/**
 * Reads a body of at most `limit` bytes.
 * @param grown called with the number of bytes of each piece that comes
 * @throws ApiError 413 beyond the limit, 400 where the client broke off, or was too slow and has been told so
 */
export function readBytes(
  request: IncomingMessage,
  limit: number,
  grown: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  // Nothing more is told of it.
  if (request.destroyed) return Promise.reject(malformedRequest());
  return new Promise((resolve, reject) => {
    const bytes = new GrowingBytes(limit);
    const refuse = (): void => {
      request.removeAllListeners('data');
      letGo(bytes.take());
      discardRest(request);
      reject(bodyTooLarge(limit));
    };
    if (Number(request.headers['content-length']) > limit) {
      refuse();
      return;
    }
    let isWhole = false;
    request.on('data', (chunk: Buffer) => {
      if (bytes.length + chunk.length > limit) refuse();
      else bytes.add(chunk);
      grown(chunk.length);
    });
    request.once('end', () => {
      // Where our side is ended, the client was told that it is too slow: nothing is made of what came after that.
      isWhole = request.socket.writable;
      if (isWhole) resolve(bytes.take());
    });
    // 'close' follows after an error, too.
    request.once('close', () => {
      if (isWhole) return;
      letGo(bytes.take());
      reject(malformedRequest());
    });
    request.once('error', () => undefined);
  });
}

/** Gives the memory of a large body back at once, which is empty then: V8 comes late to it, as it is beside its heap. */
export function letGo({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

/** A body for which nobody has the time yet. Where its request is over before, be it refused or left, its memory is given back at once. */
export class WaitingBody implements Requester {
  /** In bytes, as it came. */
  readonly length: number;
  private isOver = false;

  constructor(
    private bytes: Buffer,
    response: RegistryResponse,
  ) {
    this.length = bytes.length;
    if (response.destroyed) this.giveUp();
    else response.whenOver.push(() => this.giveUp());
  }

  isGone(): boolean {
    return this.isOver;
  }

  /** Whoever has taken it gives its memory back. */
  take(): Buffer {
    const { bytes } = this;
    this.bytes = NO_BYTES;
    return bytes;
  }

  private giveUp(): void {
    this.isOver = true;
    letGo(this.bytes);
  }
}

function discardRest(request: IncomingMessage): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MOST_DISCARDED) request.socket.destroy();
  });
}

/**
 * The bytes of a body, in the order in which they come. They are copied together at once: a body may come in pieces of one byte, each of which
 * takes four hundred. Those of a large one are copied into memory that grows in place and is nobody else's: pieces that wait for the rest, and a
 * copy of them all, leave malloc's memory in fragments that the system does not get back. Small ones have no such memory, as each takes from the
 * number of mappings that a process may have.
 */
export class GrowingBytes {
  /** Its first bytes are those that came: a single piece is taken as it is. */
  private small: Buffer = NO_BYTES;
  private large: ArrayBuffer | undefined;
  private size = 0;

  /** @param most how many bytes may come */
  constructor(private readonly most: number) {}

  get length(): number {
    return this.size;
  }

  add(piece: Buffer): void {
    const at = this.size;
    this.size += piece.length;
    if (at === 0) this.small = piece;
    else if (this.size > LARGE_BYTES) this.growTo(at).set(piece, at);
    else {
      if (this.small.length < this.size) this.small = Buffer.concat([this.small.subarray(0, at)], 2 * this.size);
      this.small.set(piece, at);
    }
  }

  /** All of them. Nothing is kept: whoever added them may be referred to for long. */
  take(): Buffer {
    const { large, small, size } = this;
    [this.large, this.small, this.size] = [undefined, NO_BYTES, 0];
    return large === undefined ? small.subarray(0, size) : Buffer.from(large, 0, size);
  }

  /** @param held how many bytes there were before */
  private growTo(held: number): Uint8Array {
    const { small } = this;
    if (this.large !== undefined) {
      this.large.resize(this.size);
      return new Uint8Array(this.large);
    }
    this.large = new ArrayBuffer(this.size, { maxByteLength: this.most });
    const bytes = new Uint8Array(this.large);
    bytes.set(small.subarray(0, held));
    this.small = NO_BYTES;
    return bytes;
  }
}
