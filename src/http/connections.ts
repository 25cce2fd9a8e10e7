import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { logger } from '../logging/logger.js';

const SWEEP_MS = 1_000;
/** How long a client may read nothing of its answer. */
const UNREAD_MS = 60_000;
/** Bound of the answers that clients have not read yet, together, without what the kernel's buffers hold. */
const MOST_UNREAD_BYTES = 128 * 1024 * 1024;

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

  /** Called at every step. */
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
    // The newest one is spared: it may be a single large answer that is being read.
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

/** Bytes that the kernel has taken. An answer written in one piece counts once all of it is taken, a streamed one piece by piece. */
function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

function stepOf(socket: Socket): Step {
  return { ms: performance.now(), taken: takenOf(socket) };
}
