import { Socket } from 'node:net';

/*
 * To end a connection costs Node and us some fifty microseconds, and thousands may end in one moment: their host goes away, or somebody ends
 * them together. libuv hands out all of them in one turn of the event loop: ten thousand held it for half a second.
 */

/** Ends and closes of connections in one turn. */
const ENDS_A_TURN = 50;

/** In this turn. */
let ended = 0;
const waiting: (() => void)[] = [];

/** From now on a connection is found ended by its client, or closed, in a turn that has room for it. Where few end that is at once. */
export function paceClosing(socket: Socket): void {
  socket.push = pushPaced;
  socket._destroy = destroyPaced;
}

/** Node pushes null where the client has ended its side. */
function pushPaced(this: Socket, chunk: unknown, encoding?: BufferEncoding): boolean {
  if (chunk !== null) return Socket.prototype.push.call(this, chunk, encoding);
  whenRoom(() => Socket.prototype.push.call(this, null));
  return false;
}

/** Node calls this once for each connection, whatever the reason. */
function destroyPaced(this: Socket, error: Error | null, done: (error?: Error | null) => void): void {
  whenRoom(() => Socket.prototype._destroy.call(this, error, done));
}

function whenRoom(end: () => void): void {
  if (ended === 0) setImmediate(goOn);
  if (ended < ENDS_A_TURN) {
    ended++;
    end();
  } else waiting.push(end);
}

function goOn(): void {
  const next = waiting.splice(0, ENDS_A_TURN);
  ended = next.length;
  if (ended > 0) setImmediate(goOn);
  for (const end of next) end();
}
