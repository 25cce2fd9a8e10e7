import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectionLine } from '../event-loop/line.js';
import { closeLingering, waitsForDiscard } from './lingering-close.js';
import type { RegistryRequest } from './exchange.js';
import { areWaiting, incompleteOf } from './turn-queue.js';

/*
 * Node's parser calls back for each request and for each chunk of a body, and one read of a socket may hold ten thousand chunks of a byte. By
 * itself it parses all of it, up to 32 reads of each connection, before anybody else has a turn: forty connections of somebody without a key
 * held the event loop for 19 s.
 */

/** What is never made wait: whatever is in it takes some tenths of a millisecond. */
const FREE_BYTES = 1_024;
/** The first piece. Nearly every request is smaller. */
const FIRST_BYTES = 4 * 1_024;
/** The first piece where the turn has no time left. It begins a message: a connection without one is idle, and may be closed. */
const LEAST_BYTES = 64;
/** The largest piece: ordinary bytes are parsed in microseconds. */
const MOST_BYTES = 64 * 1_024;
/** The next piece is twice as large where this one took less. */
const CHEAP_MS = 0.25;
/** What a piece of the largest size takes whose bytes are dear. */
const DEAR_MS = 1;
/** How long reads of more than `FREE_BYTES`, of all connections together, are parsed in one turn of the event loop. */
const HELD_MS = 2;
/** The same for those whose bytes are not known to be dear. */
const HELD_BY_ORDINARY_MS = 10;

/**
 * How many pieces of small chunks that are not cheap are parsed of a body after its answer: each chunk may have one byte, and a megabyte of these
 * takes seconds. Where such a body ends is not known then, so its connection is closed.
 */
const MOST_UNWANTED_PIECES = 8;
/** Chunks are small where a line ends as often as this many bytes: two of each chunk do. On a busy machine any piece may take long. */
const SMALL_BYTES = 32;

/** Bound of what was read of connections that wait in line. Of one it is 128 KiB at most: Node reads once more than its high-water mark. */
const MOST_UNPARSED_BYTES = 128 * 1_024 * 1_024;

/** By such reads, in this turn. */
let heldMs = 0;
/** Of connections that wait in line. */
let unparsedBytes = 0;
/** The read of which a piece is being parsed, and where that begins in it. */
let parsed: { socket: Duplex; read: Buffer; at: number } | undefined;

type Parse = (bytes: Buffer) => void;

/** To be called before anything was read: from then on a connection's bytes are parsed piece by piece, with turns for others between. */
export function paceReading(socket: Socket): void {
  const [parse] = socket.listeners('data') as Parse[];
  if (parse === undefined) return;
  socket.removeListener('data', parse);
  const paced = new PacedReading(socket, parse);
  socket.on('data', paced.take);
}

/** @returns where a fault that the parser has just found in a piece stands in all that was read */
export function inWholeRead(socket: Duplex, bytesParsed = 0): { rawPacket?: Buffer; bytesParsed?: number } {
  return parsed?.socket === socket ? { rawPacket: parsed.read, bytesParsed: parsed.at + bytesParsed } : {};
}

class PacedReading {
  /** Whether it waits in line. */
  private isResting = false;
  /** Whether its bytes are known to take longer than ordinary ones. */
  private isDear = false;
  /** The request whose body is not there as a whole, and its pieces that were not cheap since it was answered. */
  private incomplete: RegistryRequest | undefined;
  private unwantedPieces = 0;

  constructor(
    private readonly socket: Socket,
    private readonly parse: Parse,
  ) {}

  readonly take = (bytes: Buffer): void => {
    const { socket } = this;
    let size = this.hasTime() ? FIRST_BYTES : LEAST_BYTES;
    const { incomplete } = this;
    let at = 0;
    while (!this.mustWait(at === 0 ? 0 : bytes.length - at)) {
      const piece = at === 0 && bytes.length <= size ? bytes : bytes.subarray(at, at + size);
      const tookMs = this.parsePiece(piece, bytes, at);
      if (this.isTooDear(piece, tookMs)) return closeLingering(socket);
      // The handlers of requests are called in the first one.
      if (at > 0) this.isDear = tookMs > (DEAR_MS * size) / MOST_BYTES;
      at += size;
      if (at >= bytes.length || !socket.listeners('data').includes(this.take)) return;
      // Mostly the answer to a request that is refused is there in the next turn, and its body is not parsed.
      if (this.incomplete !== undefined && this.incomplete !== incomplete) break;
      // Nothing more is read until they are answered. The parser resumes it at the end of each request.
      if (areWaiting(socket)) socket.pause();
      if (tookMs < CHEAP_MS) size = Math.min(Math.max(2 * size, FIRST_BYTES), MOST_BYTES);
    }
    this.putBack(bytes.subarray(at));
  };

  /** @returns how long that took, in milliseconds */
  private parsePiece(piece: Buffer, read: Buffer, at: number): number {
    const sinceMs = performance.now();
    parsed = { socket: this.socket, read, at };
    this.parse(piece);
    parsed = undefined;
    const tookMs = performance.now() - sinceMs;
    if (read.length > FREE_BYTES) hold(tookMs);
    return tookMs;
  }

  /** @param tookMs the piece, which was the last */
  private isTooDear(piece: Buffer, tookMs: number): boolean {
    const request = incompleteOf(this.socket);
    if (request !== this.incomplete) this.unwantedPieces = 0;
    this.incomplete = request;
    const isUnwanted = request?.isBodyUnwanted && request.headers['content-length'] === undefined;
    if (isUnwanted && tookMs >= CHEAP_MS && isOfSmallChunks(piece)) this.unwantedPieces++;
    return this.unwantedPieces > MOST_UNWANTED_PIECES;
  }

  private mustWait(left: number): boolean {
    return this.isResting || this.socket.isPaused() || (left > FREE_BYTES && !this.hasTime());
  }

  private hasTime(): boolean {
    return heldMs < (this.isDear ? HELD_MS : HELD_BY_ORDINARY_MS);
  }

  /** Whoever has paused the connection resumes it. */
  private putBack(bytes: Buffer): void {
    const { socket } = this;
    const isOurs = !this.isResting && !socket.isPaused();
    socket.pause();
    socket.unshift(bytes);
    if (isOurs) this.rest(bytes.length);
  }

  private rest(unparsed: number): void {
    if (unparsedBytes + unparsed > MOST_UNPARSED_BYTES) {
      this.socket.destroy();
      return;
    }
    this.isResting = true;
    unparsedBytes += unparsed;
    connectionLine.add(() => {
      unparsedBytes -= unparsed;
      this.isResting = false;
      heldMs = 0;
      if (!waitsForDiscard(this.socket)) this.socket.resume();
    });
  }
}

function isOfSmallChunks(piece: Buffer): boolean {
  return piece.toString('latin1').split('\r\n').length > piece.length / SMALL_BYTES;
}

function hold(ms: number): void {
  if (heldMs === 0) setImmediate(() => (heldMs = 0));
  heldMs += ms;
}
