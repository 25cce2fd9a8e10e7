import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from '../../scripts/machine/free-port.js';

type Interference = 'none' | 'drop the answer to COMMIT' | 'drop COMMIT';

/** The query packet for MariaDB, and with MySQL's query attributes (one set, empty). The service sends no other packet with these bytes. */
const COMMITS = queriesOf('COMMIT');
const BEGINNINGS = queriesOf('START TRANSACTION');
/** The first statement of a command that copies a whole database. */
const COPY_MARKS = queriesOf('UPDATE feed_clock SET ');

/** Statements with the same prefix of this length count as alike: a command, a verb and a table. */
const ALIKE_BYTES = 16;

function queriesOf(sql: string): Buffer[] {
  return [`\x03${sql}`, `\x03\x00\x01${sql}`].map((bytes) => Buffer.from(bytes));
}

const isOneOf = (queries: readonly Buffer[], bytes: Buffer): boolean => queries.some((query) => bytes.includes(query));

/** Whether there is more than one packet; each begins with its length in three bytes and a sequence number. */
const hasSeveral = (bytes: Buffer): boolean => bytes.length > 4 + bytes.readUIntLE(0, 3);

/** A proxy between the service and its database server, which injects faults. */
export class TcpProxy {
  /** Applies to the next COMMIT only. */
  interference: Interference = 'none';
  /**
   * Statements to forward from the next transaction or mark of a copy on, not counting repetitions of the one before; the answer to the last one is
   * dropped.
   */
  statementsLeft = Infinity;
  /** Whether the last one was a COMMIT. */
  wasCommitCut = false;
  /** Delay of each chunk, in both directions. */
  delayMs = 0;
  /** Number of round trips of a single connection. */
  roundTrips = 0;
  /** Simulates database proxies that close a connection if it sends a command before the previous one is answered. */
  rejectsPipelining = false;
  private isAnswered = true;
  private server: Server | undefined;
  private port: number | undefined;
  private readonly queue: { due: number; forward: () => void }[] = [];
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;

  /** @param target `mysql://…` of the real server */
  constructor(private readonly target: URL) {}

  /** Starts listening; after `close`, on the same port. @returns DATABASE_URL through the proxy */
  async open(): Promise<string> {
    // A port outside of the kernel's ephemeral range, which would otherwise be taken before it is needed again.
    const port = (this.port ??= await findFreePort());
    const server = createServer((client) => this.relay(client));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const url = new URL(this.target);
    url.host = `127.0.0.1:${port}`;
    return url.href;
  }

  /** Refuses new connections and closes the old ones, like a killed server. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Resets every open connection; new ones are accepted. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Stops forwarding without closing connections, like a stopped server. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Forwards everything that was delayed. */
  thaw(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  private relay(client: Socket): void {
    const server = createConnection(Number(this.target.port || 3306), this.target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      // Like a server: it sends an answer without waiting for the acknowledgement of the one before.
      socket.setNoDelay(true);
      if (this.isFrozen) socket.pause();
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    let isWaiting = false;
    let isBegun = false;
    let last = '';
    client.on('data', (bytes) => {
      if (this.rejectsPipelining && (isWaiting || hasSeveral(bytes))) client.destroy();
      isWaiting = true;
      if (this.isAnswered) this.roundTrips++;
      this.isAnswered = false;
      isBegun ||= isOneOf([...BEGINNINGS, ...COPY_MARKS], bytes);
      const isLike = last === (last = bytes.toString('latin1', 4, 4 + ALIKE_BYTES));
      if (isBegun && !isLike && --this.statementsLeft === 0) this.dropAnswer(bytes, client, server);
      else this.enqueue(() => this.toServer(bytes, client, server));
    });
    server.on('data', (bytes) => {
      this.isAnswered = true;
      isWaiting = false;
      this.enqueue(() => client.write(bytes));
    });
  }

  /** One queue for all data keeps the order, even if the delay was just shortened. */
  private enqueue(forward: () => void): void {
    if (this.delayMs === 0 && this.queue.length === 0) {
      forward();
      return;
    }
    this.queue.push({ due: performance.now() + this.delayMs, forward });
    if (this.queue.length === 1) this.forwardLater();
  }

  private forwardLater(): void {
    const [next] = this.queue;
    if (next === undefined) return;
    setTimeout(
      () => {
        this.queue.shift();
        next.forward();
        this.forwardLater();
      },
      Math.max(0, next.due - performance.now()),
    );
  }

  private toServer(bytes: Buffer, client: Socket, server: Socket): void {
    const interference = isOneOf(COMMITS, bytes) ? this.interference : 'none';
    if (interference === 'none') {
      if (!server.destroyed) server.write(bytes);
      return;
    }
    this.interference = 'none';
    if (interference === 'drop COMMIT') {
      client.destroy();
      return;
    }
    this.dropAnswer(bytes, client, server);
  }

  /** Waits for the server's answer, so that the statement is done, and drops it. */
  private dropAnswer(bytes: Buffer, client: Socket, server: Socket): void {
    this.wasCommitCut = isOneOf(COMMITS, bytes);
    server.removeAllListeners('data');
    server.once('data', () => client.destroy());
    server.write(bytes);
  }
}
