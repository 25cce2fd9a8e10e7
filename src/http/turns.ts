import type { Duplex } from 'node:stream';
import type { RegistryRequest, RegistryResponse } from './exchange.js';

interface Turn {
  /** Undefined where the turn refuses something that is no request. */
  request: RegistryRequest | undefined;
  begin: () => void;
}

/**
 * The queue of requests of each connection: one is handled at a time. Node hands out all pipelined requests at once (a thousand fit into one
 * read), and holds their answers until the first was read: a client that sends many and reads nothing would fill the memory.
 */
const turns = new WeakMap<Duplex, Turn[]>();
/** The newest request of each connection, complete or not, answered or not. */
const latest = new WeakMap<Duplex, RegistryRequest>();

/** Calls `handle` once the client has taken the answers to its earlier requests on this connection. Until then nothing more is read. */
export function inTurn(response: RegistryResponse, handle: () => void): void {
  const { req: request } = response;
  const { socket } = request;
  latest.set(socket, request);
  response.whenOver.push(() => beginNext(socket));
  enqueue(socket, { request, begin: handle });
}

/**
 * Calls `refuse`, for bytes that are no request, after the complete requests before them were answered: the client would take the refusal for
 * the answer to the first of those. An incomplete request that has not begun is dropped, and only one refusal is sent.
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
  // In the next tick, because the parser resumes the socket at the end of each request.
  else process.nextTick(() => queue.length > 1 && socket.pause());
}

function beginNext(socket: Duplex): void {
  const queue = turns.get(socket) ?? [];
  queue.shift();
  const [next] = queue;
  if (next === undefined || socket.destroyed) return;
  // The last request may still lack its body. When others follow it, its body is there.
  if (queue.length === 1 && next.request !== undefined) socket.resume();
  next.begin();
}
