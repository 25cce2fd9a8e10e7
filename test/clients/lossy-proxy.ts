import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and the service, and loses answers where a test wants it. */
export class LossyProxy {
  /** So many answers are lost: the service has done what was asked, and its client's connection breaks. */
  lose = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {
    server.on('connection', (client) => this.relay(client));
  }

  /** @param target of the service, `http://…` */
  static async open(target: string): Promise<LossyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LossyProxy(new URL(target), server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private relay(client: Socket): void {
    const service = createConnection(Number(this.target.port), this.target.hostname);
    this.sockets.add(client);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => service.write(bytes));
    service.on('data', (bytes) => this.answer(bytes, client));
  }

  private answer(bytes: Buffer, client: Socket): void {
    if (this.lose > 0) {
      this.lose--;
      client.destroy();
    } else client.write(bytes);
  }
}
