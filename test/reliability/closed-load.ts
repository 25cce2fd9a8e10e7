import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const RECONNECT_MS = 10;
/** A success that comes later than this helps nobody. */
export const GOOD_MS = 1_000;

/** What one generator process does. */
export interface LoadPlan {
  url: string;
  connections: number;
  warmUpMs: number;
  ms: number;
  /** Whole requests as they go over the wire; each connection sends them in turn, from a place of its own. */
  requests: string[];
}

/** What it has seen after the warm-up. Times are in milliseconds. */
export interface LoadResult {
  /** Successes within a second. */
  good: number;
  late: number;
  refused: number;
  /** Other answers. */
  bad: number;
  /** Connections that broke. */
  broken: number;
  goodTimes: number[];
  refusedTimes: number[];
  seconds: number;
  /** Of one core. */
  cpuShare: number;
}

/** Keeps every connection busy: the next request is sent as soon as the last one is answered, whatever the answer was. */
export async function runClosedLoad({ url, connections, warmUpMs, ms, requests }: LoadPlan): Promise<LoadResult> {
  const result = emptyResult();
  const isOver = { measured: false, done: false };
  const note = (status: number, took: number): void => {
    if (isOver.measured) count(result, status, took);
  };
  const clients = Array.from({ length: connections }, (_, i) => {
    const from = Math.floor((i * requests.length) / connections);
    return new Client(new URL(url), [...requests.slice(from), ...requests.slice(0, from)], note, () => {
      if (isOver.measured) result.broken++;
    });
  });
  await pause(warmUpMs);
  isOver.measured = true;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await pause(ms);
  isOver.measured = false;
  result.seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  result.cpuShare = (user + system) / 1_000_000 / result.seconds;
  for (const client of clients) client.stop();
  return result;
}

export function emptyResult(): LoadResult {
  const counts = { good: 0, late: 0, refused: 0, bad: 0, broken: 0 };
  return { ...counts, goodTimes: [], refusedTimes: [], seconds: 0, cpuShare: 0 };
}

function count(result: LoadResult, status: number, took: number): void {
  if (status === 503) {
    result.refused++;
    result.refusedTimes.push(took);
  } else if (status >= 300) {
    result.bad++;
  } else if (took > GOOD_MS) {
    result.late++;
  } else {
    result.good++;
    result.goodTimes.push(took);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** One connection; a bare one, so that the generator is not what limits. */
class Client {
  private socket: Socket | undefined;
  private next = 0;
  private sentAt = 0;
  private received: Buffer = Buffer.alloc(0);
  /** Of the answer that is being received; unknown until its head is whole. */
  private expected: number | undefined;
  private status = 0;
  private isStopped = false;

  constructor(
    private readonly url: URL,
    private readonly requests: readonly string[],
    private readonly answered: (status: number, took: number) => void,
    private readonly broke: () => void,
  ) {
    this.open();
  }

  stop(): void {
    this.isStopped = true;
    this.socket?.destroy();
  }

  private open(): void {
    if (this.isStopped) return;
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    this.socket = socket;
    this.received = Buffer.alloc(0);
    this.expected = undefined;
    socket.on('connect', () => this.send());
    socket.on('data', (bytes) => this.receive(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.isStopped) this.broke();
      setTimeout(() => this.open(), RECONNECT_MS);
    });
  }

  private send(): void {
    this.sentAt = performance.now();
    this.socket?.write(this.requests[this.next++ % this.requests.length] as string);
  }

  private receive(bytes: Buffer): void {
    this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
    if (this.expected === undefined) this.readHead();
    if (this.expected === undefined || this.received.length < this.expected) return;
    this.received = this.received.subarray(this.expected);
    this.expected = undefined;
    this.answered(this.status, performance.now() - this.sentAt);
    this.send();
  }

  private readHead(): void {
    const end = this.received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end);
    this.status = Number(head.slice(9, 12));
    this.expected = end + HEAD_END.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }
}
