import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const RECONNECT_MS = 10;

/**
 * One connection that sends a request, waits for its answer, and sends the next; a bare one, so that who makes a load is not what limits.
 * What it asks must be answered with a Content-Length. A connection that breaks is opened again.
 */
export class LoadClient {
  private socket: Socket | undefined;
  private sentAt = 0;
  private received: Buffer[] = [];
  private length = 0;
  private headLength = 0;
  /** Of the answer that is being received, with its head; unknown until that is whole. */
  private expected: number | undefined;
  private status = 0;
  private isIdle = true;
  private isStopped = false;

  /**
   * @param next the next request as it goes over the wire; undefined: none, until `wake` is called
   * @param answered told of every answer, with the milliseconds that it took
   */
  constructor(
    private readonly url: URL,
    private readonly next: () => string | undefined,
    private readonly answered: (status: number, took: number, body: () => string) => void,
    private readonly broke: () => void,
  ) {
    this.open();
  }

  /** There is a request again. */
  wake(): void {
    if (this.isIdle && this.socket?.readyState === 'open') this.send();
  }

  stop(): void {
    this.isStopped = true;
    this.socket?.destroy();
  }

  private open(): void {
    if (this.isStopped) return;
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    this.socket = socket;
    this.forget();
    socket.on('connect', () => this.send());
    socket.on('data', (bytes) => this.receive(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.isStopped) this.broke();
      setTimeout(() => this.open(), RECONNECT_MS);
    });
  }

  private send(): void {
    const request = this.next();
    this.isIdle = request === undefined;
    if (request === undefined) return;
    this.sentAt = performance.now();
    this.socket?.write(request);
  }

  private receive(bytes: Buffer): void {
    this.received.push(bytes);
    this.length += bytes.length;
    if (this.expected === undefined) this.readHead();
    if (this.expected === undefined || this.length < this.expected) return;
    const [took, received, headLength] = [performance.now() - this.sentAt, this.received, this.headLength];
    this.forget();
    this.answered(this.status, took, () => Buffer.concat(received).toString('utf8', headLength));
    this.send();
  }

  private forget(): void {
    this.received = [];
    this.length = 0;
    this.expected = undefined;
  }

  private readHead(): void {
    const [bytes] = (this.received = [Buffer.concat(this.received)]) as [Buffer];
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return;
    const head = bytes.toString('latin1', 0, end);
    this.status = Number(head.slice(9, 12));
    this.headLength = end + HEAD_END.length;
    this.expected = this.headLength + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }
}
