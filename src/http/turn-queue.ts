import type { Duplex } from 'node:stream';
import { connectionLine } from '../event-loop/line.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { discardInTurn } from './lingering-close.js';

/** Requests that are begun at once in one turn of the event loop: what comes in it beyond them stands in line. */
const MOST_BEGUN = 128;
/** In this turn. */
let begun = 0;

interface Turn {
  /** Undefined where the turn refuses something that is no request. */
  response: RegistryResponse | undefined;
  begin: () => void;
}

/**
 * The queue of requests of each connection: one is handled at a time. Node hands out all pipelined requests at once (a thousand fit into one
 * read), and holds their answers until the first was read: a client that sends many and reads nothing would fill the memory.
 */
const turns = new WeakMap<Duplex, Turn[]>();
/** The newest request of each connection, until it is complete and answered: an idle connection keeps nothing of it, as its body may be large. */
const latest = new WeakMap<Duplex, RegistryRequest>();

/**
 * Calls `handle` once the client has taken the answers to its earlier requests on this connection. Until then nothing more is read. Behind an
 * answer that ends the connection it is never called: the client takes its request for not received (RFC 9112, 9.6).
 */
export function inTurn(response: RegistryResponse, handle: () => void): void {
  const { req: request } = response;
  const { socket } = request;
  if (!socket.writable) return;
  latest.set(socket, request);
  response.whenOver.push(() => {
    request.isBodyUnwanted = !request.complete;
    if (request.isBodyUnwanted) return discardInTurn(request, () => beginNext(socket));
    if (latest.get(socket) === request) latest.delete(socket);
    beginNext(socket);
  });
  const begin = (): void => {
    // Its client had asked for something else first.
    request.idleMs = performance.now() - request.arrivedMs;
    handle();
  };
  enqueue(socket, { response, begin });
}

/**
 * Calls `refuse`, for bytes that are no request, after the complete requests before them were answered: the client would take the refusal for
 * the answer to the first of those. An incomplete request that has not begun is dropped, and only one refusal is sent.
 */
export function afterTurns(socket: Duplex, refuse: () => void): void {
  const queue = turns.get(socket) ?? [];
  const whole = queue.filter(({ response }) => response?.req.complete);
  if (whole.length > 0) {
    turns.set(socket, whole);
    enqueue(socket, { response: undefined, begin: refuse });
  } else if (lacksBody(socket) && queue.every(({ response }) => response?.closed)) {
    socket.destroy();
  } else refuse();
}

/** Whether the newest request of a connection is not there as a whole. */
export function lacksBody(socket: Duplex): boolean {
  return incompleteOf(socket) !== undefined;
}

/** The newest request of a connection, where that is not there as a whole. */
export function incompleteOf(socket: Duplex): RegistryRequest | undefined {
  const request = latest.get(socket);
  return request?.complete === false ? request : undefined;
}

/** Whether requests wait for the answer to the one before them. */
export function areWaiting(socket: Duplex): boolean {
  return socket.writable && (turns.get(socket)?.length ?? 0) > 1;
}

function enqueue(socket: Duplex, turn: Turn): void {
  const queue = turns.get(socket) ?? [];
  turns.set(socket, queue);
  queue.push(turn);
  if (queue.length === 1) beginFirst(socket, turn);
  // In the next tick, because the parser resumes the socket at the end of each request.
  else process.nextTick(() => queue.length > 1 && socket.pause());
}

function beginNext(socket: Duplex): void {
  turns.get(socket)?.shift();
  const next = turns.get(socket)?.[0];
  // Else all that wait here would be answered in this turn, one after the other.
  if (next !== undefined) connectionLine.add(() => beginHere(socket, next));
}

/** It may have been dropped meanwhile. */
function beginHere(socket: Duplex, next: Turn): void {
  const queue = turns.get(socket) ?? [];
  if (queue[0] !== next || !socket.writable) return;
  // The last request may still lack its body. When others follow it, its body is there.
  if (queue.length === 1 && next.response !== undefined) socket.resume();
  next.begin();
}

/** Thousands of connections may each send a request in one moment. */
function beginFirst(socket: Duplex, turn: Turn): void {
  if (begun === 0) setImmediate(() => (begun = 0));
  if (++begun <= MOST_BEGUN) turn.begin();
  else connectionLine.add(() => beginHere(socket, turn));
}
