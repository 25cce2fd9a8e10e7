import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Followers } from './followers.js';

/**
 * How often is looked at what has come. Who waits in the kernel on this machine is woken by the service itself at each packet, perhaps on the
 * core of the service; clients on other machines are not.
 */
const LOOK_MS = 2;
const NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** What followers have seen. */
export interface Seen {
  /** As `Followers.reachedMs`. */
  reachedMs: number[];
  /** How many events the one had that had the fewest. */
  fewest: number;
}

interface Wanted {
  url: string;
  /** From where they follow. */
  offset: string;
  count: number;
}

/** Followers in a thread of their own, so that what is measured beside them does not wait for what they read. */
export class FollowersThread {
  private constructor(private readonly worker: Worker) {}

  /** @throws Error where the service does not take them all */
  static async open(wanted: Wanted): Promise<FollowersThread> {
    const worker = new Worker(new URL(import.meta.url), { workerData: wanted });
    await once(worker, 'message');
    return new FollowersThread(worker);
  }

  /** Closes their connections. */
  async close(): Promise<Seen> {
    const seen = once(this.worker, 'message');
    this.worker.postMessage('close');
    const [[last]] = (await Promise.all([seen, once(this.worker, 'exit')])) as [[Seen], unknown];
    return last;
  }
}

async function follow({ url, offset, count }: Wanted): Promise<void> {
  const followers = new Followers(url, offset);
  await followers.open(count);
  parentPort?.postMessage('open');
  if (parentPort !== null) await lookUntil(once(parentPort, 'message'));
  parentPort?.postMessage({ reachedMs: followers.reachedMs, fewest: followers.seen.fewest } satisfies Seen);
  followers.close();
  parentPort?.close();
}

async function lookUntil(end: Promise<unknown>): Promise<void> {
  let isOver = false;
  void end.then(() => (isOver = true));
  while (!isOver) {
    Atomics.wait(NEVER, 0, 0, LOOK_MS);
    await turn();
  }
}

if (!isMainThread) await follow(workerData as Wanted);
