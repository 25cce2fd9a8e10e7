import { connect, type Socket } from 'node:net';
import { parseReply, type RawReply } from '../support/raw-socket.js';
import { observeRawAnswer } from '../support/observed-answers.js';

const SILENT_MS = 10_000;

/** One connection after the other to a service, each used as long as the service keeps it. Bytes go out as they are. */
export class Connection {
  private socket: Socket | undefined;
  private received = Buffer.alloc(0);
  private arrived: () => void = () => undefined;

  constructor(private readonly url: URL) {}

  /**
   * @param isHead of a request whose answer has no body
   * @throws Error without a complete answer, or with more than one
   */
  async send(bytes: Buffer, isHead: boolean): Promise<RawReply> {
    const socket = (this.socket ??= this.open());
    socket.write(bytes);
    const reply = await this.nextReply(socket, isHead);
    observeRawAnswer(this.url.href, bytes, reply);
    if (reply.headers.get('connection') === 'close') this.close();
    else if (this.received.length > 0)
      throw new Error(`bytes after the answer: ${this.received.toString('latin1').slice(0, 200)}`);
    return reply;
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
    this.received = Buffer.alloc(0);
  }

  private async nextReply(socket: Socket, isHead: boolean): Promise<RawReply> {
    for (;;) {
      const parsed = parseReply(this.received, isHead);
      if (parsed !== undefined) {
        this.received = this.received.subarray(parsed.length);
        if (parsed.reply.status >= 200) return parsed.reply;
      } else if (socket.destroyed) {
        throw new Error(`the connection ended after ${this.received.length} bytes of an answer`);
      } else await new Promise<void>((resolve) => (this.arrived = resolve));
    }
  }

  private open(): Socket {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.arrived();
    });
    // A service that refuses a body may reset the connection after its answer.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.socket === socket) this.socket = undefined;
      this.arrived();
    });
    return socket;
  }
}
