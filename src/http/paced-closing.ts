import { Socket } from 'node:net';

/*
 * To end a connection costs Node and us some fifty microseconds, and thousands may end in one moment: their host goes away, or somebody ends
 * them together. libuv hands out all of them in one turn of the event loop: ten thousand held it for half a second. It is put off that Node learns
 * of the end. To put off a socket's destruction ends the process: it would still be read.
 */

/** Connections that are found ended in one turn. */
const ENDS_A_TURN = 50;

/** In this turn. */
let ended = 0;
const waiting: (() => void)[] = [];

/** From now on a connection is found ended by its client in a turn that has room for it. Where few end that is at once. */
export function paceClosing(socket: Socket): void {
  socket.push = pushPaced;
}

/** Node pushes null where the client has ended its side. */
function pushPaced(this: Socket, chunk: unknown, encoding?: BufferEncoding): boolean {
  if (chunk !== null) return Socket.prototype.push.call(this, chunk, encoding);
  whenRoom(() => this.destroyed || Socket.prototype.push.call(this, null));
  return false;
}

function whenRoom(end: () => void): void {
  if (ended === 0) setImmediate(goOn);
  if (ended < ENDS_A_TURN) {
    ended++;
    end();
  } else waiting.push(end);
}

function goOn(): void {
  const count = Math.min(waiting.length, ENDS_A_TURN);
  ended = count;
  if (count > 0) setImmediate(goOn);
  for (let i = 0; i < count; i++) waiting.shift()?.();
}
