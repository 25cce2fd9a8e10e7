import type { Socket } from 'node:net';
import { ownTurn } from '../event-loop/turns.js';
import { turns } from './connections.js';
import { waitsForDiscard } from './lingering-close.js';

/*
 * Node's parser calls back for each request and for each chunk of a body, and one read of a socket may hold ten thousand chunks of a byte. By
 * itself it parses all of it, up to 32 reads of each connection, before anybody else has a turn: forty connections of somebody without a key
 * held the event loop for 19 s.
 */

/** What is never made wait: whatever is in it takes some tenths of a millisecond. */
const FREE_BYTES = 1_024;
/** The first piece. Nearly every request is smaller. */
const FIRST_BYTES = 4 * 1_024;
/** The largest piece: ordinary bytes are parsed in microseconds. */
const MOST_BYTES = 64 * 1_024;
/** The next piece is twice as large where this one took less. */
const CHEAP_MS = 0.25;
/** How long reads of more than `FREE_BYTES`, of all connections together, are parsed in one turn of the event loop. */
const HELD_MS = 4;

/** Bound of what was read of connections that wait for a turn. Of one it is 64 KiB at most. */
const MOST_UNPARSED_BYTES = 128 * 1_024 * 1_024;

/** By such reads, in this turn. */
let heldMs = 0;
/** Of connections that wait for a turn. */
let unparsedBytes = 0;

type Parse = (bytes: Buffer) => void;

/** To be called before anything was read: from then on a connection's bytes are parsed piece by piece, with turns for others between. */
export function paceReading(socket: Socket): void {
  const [parse] = socket.listeners('data') as Parse[];
  if (parse === undefined) return;
  socket.removeListener('data', parse);
  const paced = new PacedReading(socket, parse);
  socket.on('data', (bytes: Buffer) => paced.take(bytes));
}

/** For a connection that is not parsed any more. */
export function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data');
}

class PacedReading {
  /** Whether it waits for a turn. */
  private isResting = false;

  constructor(
    private readonly socket: Socket,
    private readonly parse: Parse,
  ) {}

  take(bytes: Buffer): void {
    const { socket } = this;
    let size = FIRST_BYTES;
    let at = 0;
    while (!this.mustWait(bytes.length - at)) {
      const tookMs = this.parsePiece(at === 0 && bytes.length <= size ? bytes : bytes.subarray(at, at + size));
      at += size;
      if (at >= bytes.length || socket.listenerCount('data') === 0) return;
      // The parser resumes it at the end of each request.
      if (areWaiting(socket)) socket.pause();
      if (tookMs < CHEAP_MS) size = Math.min(2 * size, MOST_BYTES);
    }
    this.putBack(bytes.subarray(at));
  }

  /** @returns how long that took, in milliseconds */
  private parsePiece(bytes: Buffer): number {
    const sinceMs = performance.now();
    this.parse(bytes);
    const tookMs = performance.now() - sinceMs;
    if (bytes.length > FREE_BYTES) hold(tookMs);
    return tookMs;
  }

  private mustWait(left: number): boolean {
    return this.isResting || this.socket.isPaused() || (left > FREE_BYTES && heldMs >= HELD_MS);
  }

  /** Whoever has paused the connection resumes it. */
  private putBack(bytes: Buffer): void {
    const { socket } = this;
    const isOurs = !this.isResting && !socket.isPaused();
    socket.pause();
    socket.unshift(bytes);
    if (isOurs) void this.rest(bytes.length);
  }

  private async rest(unparsed: number): Promise<void> {
    if (unparsedBytes + unparsed > MOST_UNPARSED_BYTES) {
      this.socket.destroy();
      return;
    }
    this.isResting = true;
    unparsedBytes += unparsed;
    await ownTurn();
    unparsedBytes -= unparsed;
    this.isResting = false;
    heldMs = 0;
    if (!waitsForDiscard(this.socket)) this.socket.resume();
  }
}

/** Whether requests wait for the answer to the one before them: nothing more is read until then. */
function areWaiting(socket: Socket): boolean {
  return (turns.get(socket)?.length ?? 0) > 1;
}

function hold(ms: number): void {
  if (heldMs === 0) setImmediate(() => (heldMs = 0));
  heldMs += ms;
}
