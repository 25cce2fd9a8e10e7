import { once } from 'node:events';
import { connect } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const AT_ONCE = 200;
const EVENT = '\nevent: change\n';

/** Events that the followers received. */
export interface Seen {
  /** When the last follower had its n-th event, from 1, in milliseconds of `sharedMs`. */
  reachedMs: number[];
  /** Number of events of the slowest follower. */
  fewest: number;
}

interface Wanted {
  url: string;
  offset: string;
  count: number;
}

/** Milliseconds on a clock that all threads share. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Opens followers in a worker thread, so that reading their events does not delay the measurements.
 * @returns a function that closes them
 */
export async function openFollowers(wanted: Wanted): Promise<() => Promise<Seen>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: wanted });
  await once(worker, 'message');
  return async () => {
    const seen = once(worker, 'message') as Promise<[Seen]>;
    worker.postMessage('close');
    const [last] = await seen;
    await worker.terminate();
    return last;
  };
}

async function follow({ url, offset, count }: Wanted): Promise<void> {
  const counts: number[] = Array.from({ length: count }, () => 0);
  const reachedMs: number[] = [];
  const countEvent = (i: number): void => {
    const events = (counts[i] as number) + 1;
    counts[i] = events;
    reachedMs[events] = sharedMs();
  };
  for (let i = 0; i < count; i += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) =>
      openOne(url, offset, () => countEvent(i + j)),
    );
    await Promise.all(some);
  }
  parentPort?.once('message', () => parentPort?.postMessage({ reachedMs, fewest: Math.min(...counts) }));
  parentPort?.postMessage('open');
}

/** @throws Error if the service refuses the follower */
async function openOne(url: string, offset: string, onEvent: () => void): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1');
  const path = `/api/0.1/assets?offset=${encodeURIComponent(offset)}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: registry.example\r\nAccept: text/event-stream\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [string];
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`A follower was refused: ${head}`);
  let rest = '';
  socket.on('data', (text: string) => {
    const parts = (rest + text).split(EVENT);
    for (let i = 1; i < parts.length; i++) onEvent();
    // An event may arrive in two chunks.
    rest = (parts.at(-1) as string).slice(1 - EVENT.length);
  });
}

if (!isMainThread) await follow(workerData as Wanted);
