import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const CAN_ENCRYPT = 0x800;
const SALT = Buffer.alloc(20, 'salt');
const PLUGIN = 'caching_sha2_password';

/** Greets like a MySQL server, sends nothing more, and records what it receives. */
export class FakeServer {
  private readonly server: Server;
  private readonly chunks: Buffer[] = [];
  private readonly sockets = new Set<Socket>();

  /** @param further packets that come with the greeting, in one piece */
  private constructor(offersTls: boolean, further: readonly Buffer[]) {
    this.server = createServer((socket) => {
      this.sockets.add(socket.on('error', () => undefined));
      socket.on('data', (bytes) => this.chunks.push(bytes));
      socket.write(Buffer.concat([greeting(offersTls), ...further]));
    });
  }

  static async start(offersTls: boolean, further: readonly Buffer[] = []): Promise<FakeServer> {
    const fake = new FakeServer(offersTls, further);
    await once(fake.server.listen(0, '127.0.0.1'), 'listening');
    return fake;
  }

  /** DATABASE_URL, without parameters. */
  get url(): string {
    return `mysql://teller:geheim@127.0.0.1:${(this.server.address() as AddressInfo).port}/registry`;
  }

  /** All that came, over any connection. */
  get received(): Buffer {
    return Buffer.concat(this.chunks);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Switches the authentication plugin, as servers do after the first answer. */
export function askFor(plugin: string, sequence: number): Buffer {
  return packet(sequence, Buffer.from(`\xfe${plugin}\0`, 'latin1'), SALT, Buffer.alloc(1));
}

function greeting(offersTls: boolean): Buffer {
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE((offersTls ? 0xffffffff : 0xffffffff & ~CAN_ENCRYPT) >>> 0);
  return packet(
    0,
    Buffer.from([10]),
    Buffer.from('9.0.0\0'),
    Buffer.from([1, 0, 0, 0]),
    SALT.subarray(0, 8),
    Buffer.alloc(1),
    flags.subarray(0, 2),
    Buffer.from([45, 2, 0]),
    flags.subarray(2),
    Buffer.from([SALT.length + 1]),
    Buffer.alloc(10),
    SALT.subarray(8),
    Buffer.from(`\0${PLUGIN}\0`),
  );
}

function packet(sequence: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}
