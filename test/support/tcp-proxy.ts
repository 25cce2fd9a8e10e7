import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from '../../scripts/machine/free-port.js';

type Interference = 'none' | 'drop the answer to COMMIT' | 'drop COMMIT';

/** The query packet, to MariaDB and with MySQL's query attributes (none, in one set); nothing else that the service sends is equal to it. */
const COMMITS = queriesOf('COMMIT');
const BEGINNINGS = queriesOf('START TRANSACTION');
/** What a command writes that begins to copy a whole database, before it changes anything else. */
const MARKS = queriesOf('UPDATE feed_clock SET ');

/** Statements are alike that begin with as many of the same bytes: a command, a verb and a table. */
const ALIKE = 16;

function queriesOf(sql: string): Buffer[] {
  return [`\x03${sql}`, `\x03\x00\x01${sql}`].map((bytes) => Buffer.from(bytes));
}

const isOneOf = (queries: readonly Buffer[], bytes: Buffer): boolean => queries.some((query) => bytes.includes(query));

/** Whether there is more than one packet; each begins with its length in three bytes, and a number. */
const hasSeveral = (bytes: Buffer): boolean => bytes.length > 4 + bytes.readUIntLE(0, 3);

/** Stands between the service and its database server, and spoils the connection where a test wants it. */
export class TcpProxy {
  /** Applies to the next COMMIT only. */
  interference: Interference = 'none';
  /**
   * So many statements are done, from the next transaction or mark of a copy on, without those like the one before; the answer to the last of
   * them is lost.
   */
  statementsLeft = Infinity;
  /** Whether that one was the end of its transaction. */
  isCutBehindCommit = false;
  /** How long each piece of data is held back on its way, in both directions. */
  delayMs = 0;
  /** How often something was sent to the server when an answer had come: what one who is alone has waited for. */
  ways = 0;
  /** As some proxies of databases: a connection is cut off that sends a command before the one before is answered. */
  takesOneAtATime = false;
  private isAnswered = true;
  private server: Server | undefined;
  private port: number | undefined;
  private readonly held: { due: number; forward: () => void }[] = [];
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;

  /** @param target `mysql://…` of the real server */
  constructor(private readonly target: URL) {}

  /** Begins to listen; again on the same port after `close`. @returns DATABASE_URL through the proxy */
  async open(): Promise<string> {
    // None that the kernel gives to whoever connects meanwhile: it would not be free when it is wanted again.
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

  /** Refuses new connections and resets the old ones, as a server that was killed. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Resets every open connection; new ones are taken as before. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** From now on nothing passes and nothing is closed, as with a server that is stopped. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** All that was held back goes on its way. */
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
      // As a server's: an answer does not wait until the one before has been acknowledged.
      socket.setNoDelay(true);
      if (this.isFrozen) socket.pause();
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    let waits = false;
    let isBegun = false;
    let last = '';
    client.on('data', (bytes) => {
      if (this.takesOneAtATime && (waits || hasSeveral(bytes))) client.destroy();
      waits = true;
      if (this.isAnswered) this.ways++;
      this.isAnswered = false;
      isBegun ||= isOneOf([...BEGINNINGS, ...MARKS], bytes);
      const isLike = last === (last = bytes.toString('latin1', 4, 4 + ALIKE));
      if (isBegun && !isLike && --this.statementsLeft === 0) this.cutBehind(bytes, client, server);
      else this.pass(() => this.toServer(bytes, client, server));
    });
    server.on('data', (bytes) => {
      this.isAnswered = true;
      waits = false;
      this.pass(() => client.write(bytes));
    });
  }

  /** One queue for all, so that what is sent later never overtakes, also when the delay has just become shorter. */
  private pass(forward: () => void): void {
    if (this.delayMs === 0 && this.held.length === 0) {
      forward();
      return;
    }
    this.held.push({ due: performance.now() + this.delayMs, forward });
    if (this.held.length === 1) this.forwardLater();
  }

  private forwardLater(): void {
    const [next] = this.held;
    if (next === undefined) return;
    setTimeout(
      () => {
        this.held.shift();
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
    this.cutBehind(bytes, client, server);
  }

  /** The server's answer is awaited, so that what it was told is over, and then thrown away. */
  private cutBehind(bytes: Buffer, client: Socket, server: Socket): void {
    this.isCutBehindCommit = isOneOf(COMMITS, bytes);
    server.removeAllListeners('data');
    server.once('data', () => client.destroy());
    server.write(bytes);
  }
}
