import type { Socket } from 'node:net';

/** How much is read of what a client still sends. */
const MOST_BYTES = 16 * 1024 * 1024;
/** How long a client may be silent. */
const CHECK_MS = 2_000;
const MOST_CHECKS = 10;

/**
 * Closes a connection whose client may still send. What was not read when a connection closes makes the system reset it, and the client may
 * lose an answer that it has not read yet. So our side alone is ended, and what comes is read and thrown away until the client ends its side,
 * sends nothing for two seconds, sends too much, or has gone on for twenty seconds. No request in it is begun any more (connections.ts).
 */
export function closeLingering(socket: Socket): void {
  const before = socket.bytesRead;
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
