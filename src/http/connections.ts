import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { logger } from '../logging/logger.js';

const SWEEP_MS = 1_000;
/** For how long nothing of an answer may be taken by its reader. */
const UNREAD_MS = 60_000;
/** Of all answers that wait for their readers, beyond what the kernel has taken. */
const MOST_UNREAD_BYTES = 128 * 1024 * 1024;

interface Step {
  /** Its moment, by the monotonic clock. */
  ms: number;
  /** Bytes that had left the process by then. */
  taken: number;
}

/**
 * The open connections in the order of their last step: it was opened, a request came, an answer or a part of one was taken. Where there are too many,
 * or their readers leave too much unread, those whose last step is the longest ago give way: attackers wait, clients move on.
 */
export class Connections {
  private readonly steps = new Map<Socket, Step>();
  private gaveWay = 0;

  /** @param most how many there may be at once */
  constructor(
    server: Server,
    private readonly most: number,
  ) {
    server.on('connection', (socket: Socket) => this.open(socket));
    const sweep = setInterval(() => this.sweep(), SWEEP_MS);
    sweep.unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** Tells of a step. */
  step(socket: Socket): void {
    if (this.steps.delete(socket)) this.steps.set(socket, stepOf(socket));
  }

  private open(socket: Socket): void {
    this.steps.set(socket, stepOf(socket));
    socket.once('close', () => this.steps.delete(socket));
    const [oldest] = this.steps.keys();
    if (this.steps.size > this.most && oldest !== undefined) this.giveWay(oldest);
  }

  private sweep(): void {
    for (const [socket, { taken }] of this.steps) if (takenOf(socket) > taken) this.step(socket);
    const unread = [...this.steps.keys()].filter((socket) => socket.writableLength > 0);
    let bytes = unread.reduce((sum, socket) => sum + socket.writableLength, 0);
    // The last one may be a single large answer that is being taken.
    for (const socket of unread.slice(0, -1)) {
      if (bytes <= MOST_UNREAD_BYTES) break;
      bytes -= socket.writableLength;
      this.giveWay(socket);
    }
    const past = performance.now() - UNREAD_MS;
    for (const socket of unread) if ((this.steps.get(socket)?.ms ?? Infinity) < past) this.giveWay(socket);
    if (this.gaveWay > 0) logger.warn({ connections: this.gaveWay }, 'connections were cut to make room');
    this.gaveWay = 0;
  }

  private giveWay(socket: Socket): void {
    this.steps.delete(socket);
    this.gaveWay++;
    socket.destroy();
  }
}

/** An answer that is written at once counts when all of it is taken, one that is streamed piece by piece. */
function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

function stepOf(socket: Socket): Step {
  return { ms: performance.now(), taken: takenOf(socket) };
}
