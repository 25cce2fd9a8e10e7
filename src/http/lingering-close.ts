import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LARGE_BYTES } from '../event-loop/turns.js';

/** How much is read of what a client still sends. */
const MOST_BYTES = 16 * 1024 * 1024;
/** How long a client may be silent. */
const CHECK_MS = 2_000;
const MOST_CHECKS = 10;

/**
 * How fast large bodies of refused requests are read and thrown away, all together, in bytes a millisecond. Each piece of them is a buffer, and
 * V8 has everybody wait for its collections: a broker beyond its rate limit sent 300 MB a second in this way.
 */
const DISCARDED_A_MS = 32 * 1024;
/** What a body counts whose length is not told. */
const UNKNOWN_BYTES = 1024 * 1024;
/** How long one waits for that, in milliseconds. Where it would be longer, it is not read. */
const MOST_DELAY_MS = 1_000;
/** The same where its connection is being closed: what was read of it stays in memory meanwhile. */
const MOST_DELAY_OF_CLOSING_MS = 250;
let discardingUntilMs = 0;
/** How many connections that are not read stay until their clients have seen the answer: some hundred KiB were read of each. */
const MOST_UNREAD = 32;
/** These, the first that came first. */
const unread = new Set<Socket>();
/** Connections that are read on later. */
const waiting = new WeakSet<Socket>();

/** For a connection that is not parsed any more. */
export function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data');
}

/**
 * Closes a connection whose client may still send. What was not read when a connection closes makes the system reset it, and the client may
 * lose an answer that it has not read yet. So our side alone is ended, and what comes is read and thrown away until the client ends its side,
 * sends nothing for two seconds, sends too much, or has gone on for twenty seconds. It is not parsed: a megabyte of small chunks takes seconds.
 */
export function closeLingering(socket: Socket): void {
  const before = socket.bytesRead;
  stopParsing(socket);
  socket.on('data', ({ length }: Buffer) => readInTurn(socket, length, () => undefined));
  // Earlier requests may have paused it.
  socket.resume();
  socket.end(() => {
    let [seen, checks] = [socket.bytesRead, 0];
    const check = setInterval(() => {
      const isSilent = socket.bytesRead === seen;
      seen = socket.bytesRead;
      if (seen - before > MOST_BYTES || ++checks === MOST_CHECKS) socket.destroy();
      // After a pause of the whole process its timers run before it reads what has come meanwhile.
      else if (isSilent) setImmediate(() => socket.bytesRead === seen && socket.destroy());
    }, CHECK_MS).unref();
    socket.once('close', () => clearInterval(check));
  });
}

/**
 * To be called when a request was answered whose body is not there yet, nor wanted: its connection is read on when it is that body's turn, or is
 * closed where too many are before it.
 * @param next begins the next request of the connection: until then it waits too, as a body of a megabyte may be there before the pause
 */
export function discardInTurn({ headers, socket }: IncomingMessage, next: () => void): void {
  // What comes is thrown away anyway.
  if (!socket.writable) return next();
  const bytes = Math.min(Number(headers['content-length'] ?? UNKNOWN_BYTES), MOST_BYTES);
  if (bytes < LARGE_BYTES) next();
  else readInTurn(socket, bytes, next);
}

function readInTurn(socket: Socket, bytes: number, next: () => void): void {
  const nowMs = performance.now();
  const delayMs = Math.max(discardingUntilMs - nowMs, 0);
  const isRead = delayMs <= (socket.writable ? MOST_DELAY_MS : MOST_DELAY_OF_CLOSING_MS);
  if (isRead) discardingUntilMs = nowMs + delayMs + bytes / DISCARDED_A_MS;
  else leaveUnread(socket);
  if (delayMs === 0) return next();
  // Behind the ticks of this turn, in one of which Node reads on.
  process.nextTick(() => queueMicrotask(() => socket.pause()));
  waiting.add(socket);
  const goOn = (): void => {
    waiting.delete(socket);
    socket.resume();
    next();
  };
  if (isRead) setTimeout(goOn, delayMs).unref();
}

function leaveUnread(socket: Socket): void {
  if (socket.writable) closeLingering(socket);
  unread.add(socket);
  socket.once('close', () => unread.delete(socket));
  const [oldest] = unread;
  if (oldest === undefined || unread.size <= MOST_UNREAD) return;
  unread.delete(oldest);
  oldest.destroy();
}

/** Whether it is not to be read on yet. */
export function waitsForDiscard(socket: Socket): boolean {
  return waiting.has(socket);
}
