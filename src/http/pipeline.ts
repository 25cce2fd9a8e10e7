import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { cutConnection } from './cut-connection.js';

/** Requests that a client may send on one connection before it has read the answer to the first of them. */
const MAX_PIPELINED = 1_000;

interface Turn {
  /** Undefined for bytes that Node made no request of. */
  response: ServerResponse | undefined;
  begin: () => void;
}

/**
 * Handles the requests of each connection one after the other. Node hands out pipelined requests at once, so that a change could overtake
 * the one before it, and a request behind an answer with `Connection: close` would be carried out although its client takes it for not
 * received (RFC 9112, 9.6).
 */
export class Pipelines {
  private readonly queues = new WeakMap<Duplex, Turn[]>();

  /** Calls `begin` once the earlier requests of the connection are answered; never, if it has ended by then. */
  add(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const queue = this.queues.get(socket) ?? [];
    this.queues.set(socket, queue);
    response.once('close', () => {
      queue.shift();
      if (socket.writable) queue[0]?.begin();
    });
    if (queue.push({ response, begin }) === 1) begin();
    else if (queue.length > MAX_PIPELINED) cutConnection(socket, 'too many requests were sent ahead');
  }

  /**
   * Calls `answer`, for bytes that Node made no request of, once the whole requests before them are answered: the client would take it for the
   * answer to the first of those.
   */
  answerAfter(socket: Duplex, answer: () => void): void {
    const queue = this.queues.get(socket) ?? [];
    const [current] = queue;
    if (current?.response?.req.complete) {
      const whole = queue.findIndex(({ response }) => !response?.req.complete);
      queue.splice(whole < 0 ? queue.length : whole, queue.length, { response: undefined, begin: answer });
    } else if (current?.response?.headersSent) {
      cutConnection(socket, 'the rest of a request that is answered was late or broken');
    } else answer();
  }
}
