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
 * The bytes of a body, in the order in which they come. Those of a large one are copied into memory that grows in place and is nobody else's:
 * pieces that wait for the rest, and a copy of them all, leave malloc's memory in fragments that the system does not get back. Small ones have
 * no such memory, as each takes from the number of mappings that a process may have.
 */
export class GrowingBytes {
  private pieces: Buffer[] = [];
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
    if (this.large !== undefined) {
      this.large.resize(this.size);
      new Uint8Array(this.large).set(piece, at);
    } else if (this.size <= LARGE_BYTES || at === 0) {
      this.pieces.push(piece);
    } else this.grow([...this.pieces, piece]);
  }

  /** All of them. Nothing is kept: whoever added them may be referred to for long. */
  take(): Buffer {
    const { large, pieces, size } = this;
    [this.large, this.pieces, this.size] = [undefined, [], 0];
    if (large !== undefined) return Buffer.from(large, 0, size);
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  private grow(pieces: readonly Buffer[]): void {
    this.large = new ArrayBuffer(this.size, { maxByteLength: this.most });
    const bytes = new Uint8Array(this.large);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.pieces = [];
  }
}
