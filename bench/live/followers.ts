import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const AT_ONCE = 200;
const EVENT = Buffer.from('\nevent: change\n');
const NOTHING = Buffer.alloc(0);
const OK = Buffer.from('HTTP/1.1 200');
/** What any of them reads is looked at once, and not kept. */
const READ = Buffer.alloc(64 * 1024);

/** Milliseconds on a clock that all threads share. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Many who follow one service as a stream of events: they count what comes, and when the last of them had it. */
export class Followers {
  /** When the last one had its n-th event, in milliseconds of `sharedMs`; from 1. */
  readonly reachedMs: number[] = [];
  private readonly counts: number[] = [];
  private readonly sockets: Socket[] = [];
  private refused = 0;

  constructor(
    private readonly url: string,
    /** From where they follow. */
    private readonly offset: string,
  ) {}

  /** @throws Error where the service does not take them all */
  async open(count: number): Promise<void> {
    for (let i = 0; i < count; i += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) => this.openOne(i + j));
      await Promise.all(some);
    }
    if (this.refused > 0) throw new Error(`${this.refused} of ${count} followers were refused`);
  }

  /** How many events the one has that has the fewest, and the one that has the most. */
  get seen(): { fewest: number; most: number } {
    return this.counts.reduce(
      ({ fewest, most }, count) => ({ fewest: Math.min(fewest, count), most: Math.max(most, count) }),
      { fewest: Infinity, most: 0 },
    );
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private async openOne(i: number): Promise<void> {
    const { hostname, port } = new URL(this.url);
    let begin: (head: Buffer) => void = () => undefined;
    const begun = new Promise<Buffer>((resolve) => (begin = resolve));
    const callback = (length: number): boolean => {
      const chunk = READ.subarray(0, length);
      if (this.counts[i] === undefined) begin(Buffer.from(chunk));
      this.take(i, chunk);
      return true;
    };
    const onread = { buffer: READ, callback };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    this.sockets[i] = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => begin(NOTHING));
    await once(socket, 'connect');
    const path = `/api/0.1/assets?offset=${encodeURIComponent(this.offset)}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: registry.example\r\nAccept: text/event-stream\r\n\r\n`);
    const head = await begun;
    if (!head.subarray(0, OK.length).equals(OK)) this.refused++;
  }

  /** An event that is cut between two chunks in the midst of what is looked for would not be counted; events are short. */
  private take(i: number, chunk: Buffer): void {
    const now = sharedMs();
    this.counts[i] ??= 0;
    for (let at = chunk.indexOf(EVENT); at >= 0; at = chunk.indexOf(EVENT, at + 1)) {
      const count: number = (this.counts[i] ?? 0) + 1;
      this.counts[i] = count;
      this.reachedMs[count] = now;
    }
  }
}
