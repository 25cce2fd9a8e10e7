import type { Duplex } from 'node:stream';
import type { RegistryRequest, RegistryResponse } from './exchange.js';

interface Turn {
  /** Undefined for the refusal of what follows the requests. */
  request: RegistryRequest | undefined;
  begin: () => void;
}

/**
 * The requests of each connection, one at a time. Node hands out all that a client sends ahead (a thousand fit into one read), and
 * keeps their answers until the first has been taken: whoever sends many and reads none would fill the memory.
 */
const turns = new WeakMap<Duplex, Turn[]>();
/** The request of each connection that came last, whole or not, answered or not. */
const latest = new WeakMap<Duplex, RegistryRequest>();

/** Calls `handle` as soon as the answers to the earlier requests of this connection are taken; until then nothing more is read. */
export function inTurn(response: RegistryResponse, handle: () => void): void {
  const { req: request } = response;
  const { socket } = request;
  latest.set(socket, request);
  response.whenOver.push(() => beginNext(socket));
  enqueue(socket, { request, begin: handle });
}

/**
 * Calls `refuse` for what cannot be understood, after the answers to the whole requests before it: a client would take it for the
 * first of these otherwise. A request that did not come whole is forgotten if it has not begun, and refused only once.
 */
export function afterTurns(socket: Duplex, refuse: () => void): void {
  const queue = turns.get(socket) ?? [];
  const whole = queue.filter(({ request }) => request?.complete);
  if (whole.length > 0) {
    turns.set(socket, whole);
    enqueue(socket, { request: undefined, begin: refuse });
  } else if (queue.length === 0 && latest.get(socket)?.complete === false) {
    socket.destroy();
  } else refuse();
}

function enqueue(socket: Duplex, turn: Turn): void {
  const queue = turns.get(socket) ?? [];
  turns.set(socket, queue);
  queue.push(turn);
  if (queue.length === 1) turn.begin();
  // Later, because the parser goes on reading at the end of each request.
  else process.nextTick(() => queue.length > 1 && socket.pause());
}

function beginNext(socket: Duplex): void {
  const queue = turns.get(socket) ?? [];
  queue.shift();
  const [next] = queue;
  if (next === undefined || socket.destroyed) return;
  // Its body may not have come yet; with more requests behind it, it has.
  if (queue.length === 1 && next.request !== undefined) socket.resume();
  next.begin();
}
