import cluster, { type Worker } from 'node:cluster';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import { logger, passOn } from '../logging/logger.js';

const RESTART_PAUSE_MS = 1_000;

/** What ends the service in order. A terminal that is closed sends SIGHUP to all that were started from it. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The message of a worker that listens. */
export interface Ready {
  url: string;
  demoKeys: boolean;
  /** Whether there is no asset yet; only known where the demo keys work. */
  isEmpty: boolean;
  /** Path of the socket on which it takes the writes of the others; undefined where it cannot. */
  writesAt: string | undefined;
}

/** The message to a worker: where the one listens that writes for all. */
interface WriterChosen {
  writer: string;
}

/**
 * Keeps a number of processes that share the port. One that ends by itself is replaced, at once if it had served. Signals to end are passed
 * on, and this process ends after the last worker: with 1 when one could not start or ended badly.
 * @param ready called once, when all of them listen
 */
export class Workers {
  /** Workers whose process runs, or whose output was not read to its end yet. */
  private readonly running = new Set<Worker>();
  /** Those that listen, oldest first, with the sockets on which they take writes. The oldest that has one writes for all. */
  private readonly listening = new Map<Worker, string | undefined>();
  /** The socket of the worker that writes for all. */
  private writer: string | undefined;
  private ending = false;
  private exitCode = 0;
  private told = false;

  constructor(
    private readonly count: number,
    private readonly ready: (worker: Ready) => void,
  ) {}

  run(): void {
    // Each worker accepts connections itself. Handed out by this process, one for a worker that dies meanwhile would hang for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // Piped: a child that inherits our standard output would make writes to it block, for every process that shares it.
    cluster.setupPrimary({ stdio: ['inherit', 'pipe', 'inherit', 'ipc'] });
    cluster.on('message', (worker: Worker, message: unknown) => this.receive(worker, message));
    for (const signal of ENDING_SIGNALS) process.on(signal, () => this.end());
    for (let i = 0; i < this.count; i++) this.begin();
  }

  private begin(): void {
    const worker = cluster.fork();
    const { process: child } = worker;
    this.running.add(worker);
    if (child.pid !== undefined) logger.info({ worker: child.pid }, 'a worker has begun');
    // None where this process can open no more files.
    const output = child.stdout as Readable | undefined;
    if (output !== undefined) createInterface(output).on('line', passOn);
    // The system has no room for it, or it was gone before a message reached it. Its end is told beside this, and the others go on.
    worker.on('error', ({ message }) => logger.warn({ worker: child.pid, reason: message }, 'a worker is not reached'));
    child.once('close', (code, signal) => void this.hasEnded(worker, code, signal));
  }

  /** Metrics come over the same channel. prom-client reads those. */
  private receive(worker: Worker, message: unknown): void {
    if (isReady(message)) this.isListening(worker, message);
  }

  private isListening(worker: Worker, message: Ready): void {
    this.listening.set(worker, message.writesAt);
    this.chooseWriter();
    if (this.told || this.listening.size < this.count) return;
    this.told = true;
    this.ready(message);
  }

  private chooseWriter(): void {
    const [chosen] = [...this.listening].filter(([, path]) => path !== undefined);
    if (chosen === undefined) return;
    const [{ process: child }, writer] = chosen;
    if (writer !== this.writer) logger.info({ worker: child.pid }, 'this worker writes for all');
    this.writer = writer;
    for (const worker of this.listening.keys())
      worker.send({ writer } satisfies Partial<WriterChosen>, () => undefined);
  }

  private async hasEnded(worker: Worker, code: number | null, signal: string | null): Promise<void> {
    const socket = this.listening.get(worker);
    const served = this.listening.delete(worker);
    this.running.delete(worker);
    if (socket !== undefined) await removeFolder(dirname(socket));
    this.chooseWriter();
    if (this.ending) {
      // A worker that was still starting has nothing to drain, and is ended by the signal itself.
      if (code !== 0 && !isEnding(signal)) this.exitCode = 1;
    } else if (!served && !this.told) {
      // The first workers cannot start. They have said why, and trying again would not help.
      this.exitCode = 1;
      this.end();
    } else {
      logger.error({ worker: worker.process.pid, code, signal }, 'a worker has ended and is replaced');
      if (!served) await sleep(RESTART_PAUSE_MS);
      if (!this.ending) this.begin();
    }
    if (this.ending && this.running.size === 0) process.exit(this.exitCode);
  }

  private end(): void {
    this.ending = true;
    if (this.running.size === 0) process.exit(this.exitCode);
    this.tellAll('SIGTERM');
    setTimeout(() => this.tellAll('SIGKILL'), TIME_BUDGETS_MS.endOfWorker);
  }

  private tellAll(signal: NodeJS.Signals): void {
    for (const { process: child } of this.running) child.kill(signal);
  }
}

/** What stays of it disturbs nobody. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    logger.warn({ path, reason: (error as Error).message }, 'the socket of a worker that has ended is not removed');
  }
}

function isEnding(signal: string | null): boolean {
  return ENDING_SIGNALS.some((ending) => ending === signal);
}

function isReady(message: unknown): message is Ready {
  return typeof (message as Ready).url === 'string';
}

/** In a worker: calls `follow` with the path of the socket of the worker that writes for all, now and whenever it is another one. */
export function onWriterChosen(follow: (path: string) => void): void {
  process.on('message', (message: Partial<WriterChosen>) => {
    if (message.writer !== undefined) follow(message.writer);
  });
}

/** In a worker: tells the process that keeps it that it listens. */
export function tellReady(ready: Ready): void {
  process.send?.(ready);
}
