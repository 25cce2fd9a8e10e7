import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { cutConnection } from './cut-connection.js';

/** Maximum number of unanswered requests on a connection. */
const MAX_PIPELINED = 1_000;

interface QueuedRequest {
  /** Undefined for bytes that Node could not parse as a request. */
  response: ServerResponse | undefined;
  begin: () => void;
}

/**
 * Handles the requests of each connection one after the other. Node emits pipelined requests immediately, so a change could overtake the
 * one before it, and a request after an answer with `Connection: close` would run although its client assumes that it did not (RFC 9112,
 * 9.6).
 */
export class Pipelines {
  private readonly queues = new WeakMap<Duplex, QueuedRequest[]>();

  /** Calls `begin` once the earlier requests of the connection are answered; never if the connection has ended by then. */
  add(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const queue = this.queues.get(socket) ?? [];
    this.queues.set(socket, queue);
    response.once('close', () => {
      queue.shift();
      if (socket.writable) queue[0]?.begin();
    });
    if (queue.push({ response, begin }) === 1) begin();
    else if (queue.length > MAX_PIPELINED) cutConnection(socket, 'too many pipelined requests');
  }

  /**
   * Calls `answer`, for bytes that Node could not parse, once the complete requests before them are answered: sooner, the client would take it
   * for the answer to the first of those.
   */
  answerAfter(socket: Duplex, answer: () => void): void {
    const queue = this.queues.get(socket) ?? [];
    const [current] = queue;
    if (current?.response?.req.complete) {
      const incompleteAt = queue.findIndex(({ response }) => !response?.req.complete);
      queue.splice(incompleteAt < 0 ? queue.length : incompleteAt, queue.length, {
        response: undefined,
        begin: answer,
      });
    } else if (current?.response?.headersSent) {
      cutConnection(socket, 'the rest of an answered request was late or malformed');
    } else answer();
  }
}
