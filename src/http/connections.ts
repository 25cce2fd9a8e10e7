import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import v8 from 'node:v8';
import { LRUCache } from 'lru-cache';
import { logger } from '../logging/logger.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { heapFlags } from './heap-growth.js';
import { closeLingering, stopParsing } from './lingering-close.js';
import { areWaiting, inTurn, lacksBody } from './turn-queue.js';

/*
 * The server's connections: how many there may be and which give way, and how they end.
 *
 * What is noted at each request changes an object of its connection, and is no entry of a Map that comes and goes. V8 makes a new table of a Map
 * now and then, and each old one refers to the next. So once one of them is in the old generation, each later one and what was in it stay
 * until that generation is collected: of 64 connections nearly every request, its answer and its body.
 */

const SWEEP_MS = 1_000;
/** One of so many looks at all connections, which may be ten thousand followers; the others at those that have something unread. */
const SWEEPS_OF_ALL = 10;
/** Where a larger share of the places is taken, each look is at all: some may be cut soon, and who reads has to be known. Followers alone have less. */
const SHARE_OF_A_CROWD = 0.75;
/** Connections that are looked at in one turn of the event loop: there may be twenty thousand. */
const SWEPT_AT_ONCE = 500;
/** How long a client may read nothing of its answer. */
const UNREAD_MS = 60_000;
/** Bound of the answers that clients have not read yet, together, without what the kernel's buffers hold. */
const MOST_UNREAD_BYTES = 128 * 1024 * 1024;

/** Of more connections that were never sent anything, most are of no use. */
const MOST_UNANSWERED = 1_000;

/** What is done with a request. */
export type Handle = (request: RegistryRequest, response: RegistryResponse) => void;

interface Step {
  /** When it was, by the monotonic clock. */
  ms: number;
  /** Bytes that had left the process by then. */
  taken: number;
}

/**
 * The open connections, in the order of their last step. A step is: it was opened, a request came, an answer or a part of one was read. When
 * there are too many connections, or too much is unread, those whose last step is the longest ago are cut: attackers wait, clients go on.
 */
export class Connections {
  /** In the order of their last step: to look one up makes it the last. */
  private readonly steps: LRUCache<Socket, Step>;
  private gaveWay = 0;
  /** Connections that were never sent anything. */
  private unanswered = 0;
  private flags = '';
  private sweeping = false;
  private sweeps = 0;

  /** Follows the connections of a server until it is closed. @param most how many there may be at once */
  constructor(server: Server, most: number) {
    const dispose = ({ taken }: Step, socket: Socket, reason: string): void => {
      if (taken === 0) this.unanswered--;
      if (reason === 'evict') this.cut(socket);
    };
    this.steps = new LRUCache({ max: most, dispose });
    server.on('connection', (socket: Socket) => this.open(socket));
    this.growAsFits();
    const sweep = setInterval(() => this.sweeping || void this.sweep(), SWEEP_MS);
    sweep.unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** @returns what calls `handle` for each request, in its turn on its connection, and notes the steps */
  inTurns(handle: Handle): Handle {
    return (request, response) => {
      const { socket } = request;
      this.step(socket);
      response.whenOver.push(() => this.step(socket));
      inTurn(response, () => handle(request, response));
    };
  }

  /** Notes that a request came, or that an answer was read. */
  step(socket: Socket): void {
    const step = this.steps.get(socket);
    if (step === undefined) return;
    const { taken } = step;
    Object.assign(step, stepOf(socket));
    if (taken === 0 && step.taken > 0) this.unanswered--;
  }

  private open(socket: Socket): void {
    socket.destroySoon = closeAfterAnswer;
    this.unanswered++;
    this.steps.set(socket, stepOf(socket));
    socket.once('close', () => this.steps.delete(socket));
  }

  private async sweep(): Promise<void> {
    this.sweeping = true;
    this.growAsFits();
    const isCrowd = this.steps.size > this.steps.max * SHARE_OF_A_CROWD;
    this.cutUnread(await this.noteTaken(this.sweeps++ % SWEEPS_OF_ALL === 0 || isCrowd));
    this.sweeping = false;
  }

  private growAsFits(): void {
    const flags = heapFlags(this.unanswered > MOST_UNANSWERED);
    if (flags !== this.flags) v8.setFlagsFromString(flags);
    this.flags = flags;
  }

  /** @param ofAll not only of those that have something unread @returns those */
  private async noteTaken(ofAll: boolean): Promise<Socket[]> {
    const unread: Socket[] = [];
    for (const [i, socket] of [...this.steps.rkeys()].entries()) {
      if (i % SWEPT_AT_ONCE === SWEPT_AT_ONCE - 1) await turnOfLoop();
      const isUnread = socket.writableLength > 0;
      if (isUnread) unread.push(socket);
      if ((isUnread || ofAll) && takenOf(socket) > (this.steps.peek(socket)?.taken ?? Infinity)) this.step(socket);
    }
    return unread;
  }

  private cutUnread(all: readonly Socket[]): void {
    const stepMs = (socket: Socket): number => this.steps.peek(socket)?.ms ?? Infinity;
    const unread = all
      .filter((socket) => socket.writableLength > 0 && this.steps.has(socket))
      .toSorted((a, b) => stepMs(a) - stepMs(b));
    let bytes = unread.reduce((sum, socket) => sum + socket.writableLength, 0);
    // The newest one is spared: it may be a single large answer that is being read.
    for (const socket of unread.slice(0, -1)) {
      if (bytes <= MOST_UNREAD_BYTES) break;
      bytes -= socket.writableLength;
      this.giveWay(socket);
    }
    const past = performance.now() - UNREAD_MS;
    for (const socket of unread) if (stepMs(socket) < past) this.giveWay(socket);
    if (this.gaveWay > 0) logger.warn({ connections: this.gaveWay }, 'connections were cut to make room');
    this.gaveWay = 0;
  }

  private giveWay(socket: Socket): void {
    this.steps.delete(socket);
    this.cut(socket);
  }

  private cut(socket: Socket): void {
    this.gaveWay++;
    socket.destroy();
  }
}

/** Bytes that the kernel has taken. An answer written in one piece counts once all of it is taken, a streamed one piece by piece. */
function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

function stepOf(socket: Socket): Step {
  return { ms: performance.now(), taken: takenOf(socket) };
}

/** In the place of `destroySoon`, which Node calls when the last answer on a connection is written. */
function closeAfterAnswer(this: Socket): void {
  if (lacksBody(this) || areWaiting(this) || this.readableLength > 0) return closeLingering(this);
  stopParsing(this);
  Socket.prototype.destroySoon.call(this);
}

const IDLE_CHECK_MS = 100;

/** What a connection is answered. */
interface Answering {
  /** Of the answers that are not over, the one to the newest request. */
  newest: RegistryResponse | undefined;
}

/**
 * Ends a server's connections without failing a request. Closing a connection would fail a request that is on its way, so from `begin` on
 * each answer says `Connection: close`, and only connections that are idle after that are closed.
 */
export class Drain {
  private readonly open = new Map<Socket, Answering>();
  private begun = false;

  constructor(private readonly server: Server) {
    server.prependListener('connection', (socket: Socket) => {
      this.open.set(socket, { newest: undefined });
      socket.once('close', () => this.open.delete(socket));
    });
    // Registered before Express, so that it sees the answers of all layers.
    server.prependListener('request', (_request, response) => this.note(response as RegistryResponse));
  }

  /** From now on every answer carries `Connection: close`, those to earlier requests too. New connections are still accepted. */
  begin(): void {
    this.begun = true;
    for (const { newest } of this.open.values())
      if (newest?.headersSent === false) newest.setHeader('Connection', 'close');
  }

  /**
   * Stops listening and waits until what is being answered is answered.
   * @param limitMs after which the remaining connections are cut
   * @returns the number of connections that were cut
   */
  async end(limitMs: number): Promise<number> {
    const { server } = this;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    let cut = 0;
    const limit = setTimeout(() => {
      cut = this.open.size;
      // Node's closeAllConnections knows none that asked for a tunnel.
      for (const socket of this.open.keys()) socket.destroy();
    }, limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
    return cut;
  }

  private note(response: RegistryResponse): void {
    const answering = this.open.get(response.req.socket);
    if (answering === undefined) return;
    if (this.begun) {
      // A pipelined request: the answer before it must not close the connection.
      if (answering.newest?.headersSent === false) answering.newest.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    answering.newest = response;
    response.whenOver.push(() => {
      if (answering.newest === response) answering.newest = undefined;
    });
  }
}
