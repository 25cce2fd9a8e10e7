import { Console } from 'node:console';
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { terminalLine } from './terminal-line.js';

/** Read when this file is loaded, because accessing `process.stdout` makes a socket non-blocking. */
const STDOUT = process.stdout.fd;

let output: LogOutput | undefined;

/**
 * Writes one JSON line per event to standard output; on a terminal, lines for people. Never pass it what may contain secrets: headers, queries,
 * bodies, statements. The level is set once, at start.
 */
export const logger = pino(
  {
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
  },
  { write: process.stdout.isTTY ? (line: string) => write(terminalLine(line)) : write },
);

function write(line: string): void {
  output ??= openOutput();
  output.write(line);
}

/** Prints a line for people; like a log line, it never blocks or fails. */
export function printLine(line: string): void {
  write(`${line}\n`);
}

/**
 * Sends the global `console`, to which the database driver writes warnings, and Node's own warnings to the log.
 */
export function redirectConsole(): void {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      logger.warn(text.trimEnd());
      done();
    },
  });
  globalThis.console = new Console(stream);
  // Node's own listener prints to standard error; without one, warnings are turned off.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, code }: NodeJS.ErrnoException) =>
    logger.warn({ warning: name, code }, message),
  );
}

/** Writes without blocking, so that no request waits for log lines; pending lines are written when the process exits, except after a kill -9. */
function openOutput(): LogOutput {
  const opened = new LogOutput(openWithoutBlocking(STDOUT), (lines) =>
    logger.error({ lines }, 'log lines were dropped: the reader of standard output is too slow'),
  );
  process.once('exit', () => opened.writeAtEnd());
  return opened;
}

/** Number of lines dropped since the process began. */
export function droppedLogLines(): number {
  return output?.droppedTotal ?? 0;
}

/** The name, message and stack of an error; without the message of database drivers, which contains statements and values. */
export function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  const message = 'driverError' in thrown ? '' : `: ${thrown.message}`;
  return [`${thrown.name}${message}`, ...frames].join('\n');
}

/** Maximum bytes waiting for the reader; lines beyond are dropped. */
const MAX_WAITING_BYTES = 8 * 2 ** 20;
/** Once no more than this waits, the dropped lines are reported and new ones accepted. */
const RESUME_BYTES = MAX_WAITING_BYTES / 2;
const CHUNK_BYTES = 64 * 1_024;
/** Maximum chunks written in one round of the event loop. */
const MAX_CHUNKS = 4;
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/**
 * Maximum pauses at the end of the process, for a reader that reads nothing (a second) and in all (two seconds). Pauses are counted instead of
 * time, because a suspended process has not waited.
 */
const END_PAUSES = { stuck: 200, all: 400 };

/**
 * Writes lines to a non-blocking descriptor, so that a stuck reader can delay neither the process nor its exit. A write in Node's thread pool
 * would do both: it cannot be cancelled, and Node waits for it before it exits.
 */
export class LogOutput {
  private readonly chunks: Buffer[] = [];
  /** The newest lines, not yet packed into a chunk. */
  private text = '';
  private waiting = 0;
  /** Dropped lines that were not reported yet. */
  private dropped = 0;
  private reported = 0;
  private scheduled = false;
  private broken = false;
  private pauseMs = MIN_PAUSE_MS;

  /**
   * @param descriptor non-blocking
   * @param reportDropped writes a log line with the number of dropped lines
   */
  constructor(
    private readonly descriptor: number,
    private readonly reportDropped: (lines: number) => void,
  ) {}

  get droppedTotal(): number {
    return this.reported + this.dropped;
  }

  /** Never waits and never fails. */
  write(line: string): void {
    if (this.broken) return;
    if (this.dropped > 0 || this.waiting + line.length > MAX_WAITING_BYTES) {
      this.dropped++;
      return;
    }
    this.text += line;
    this.waiting += line.length;
    if (this.text.length >= CHUNK_BYTES) this.pack();
    // The lines of one round of the event loop are written together.
    if (!this.scheduled) this.schedule(() => setImmediate(this.pump));
  }

  /** Writes pending lines synchronously when the process exits. Lines that the reader does not read soon are lost. */
  writeAtEnd(): void {
    for (let pauses = 0, stuckSince = 0; ; pauses++) {
      if (this.writeSome()) stuckSince = pauses;
      this.report();
      if (this.waiting === 0 || pauses - stuckSince > END_PAUSES.stuck || pauses > END_PAUSES.all) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MIN_PAUSE_MS);
    }
  }

  private schedule(later: () => unknown): void {
    this.scheduled = true;
    later();
  }

  private readonly pump = (): void => {
    this.scheduled = false;
    const moved = this.writeSome();
    this.report();
    if (this.waiting === 0 || this.scheduled) return;
    this.pauseMs = moved ? MIN_PAUSE_MS : Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
    // Unreferenced: if the process exits first, writeAtEnd() writes the rest.
    this.schedule(() => setTimeout(this.pump, this.pauseMs).unref());
  };

  /** @returns whether anything was written */
  private writeSome(): boolean {
    this.pack();
    let written = 0;
    try {
      for (let i = 0; i < MAX_CHUNKS && this.chunks[0] !== undefined; i++) {
        const count = writeSync(this.descriptor, this.chunks[0]);
        written += count;
        this.waiting -= count;
        if (count === this.chunks[0].length) this.chunks.shift();
        else this.chunks[0] = this.chunks[0].subarray(count);
      }
    } catch (error) {
      // Otherwise the pipe or the disk is full, which may pass.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') this.giveUp();
    }
    return written > 0;
  }

  /** Discards all lines, because the pipe's other end is closed. */
  private giveUp(): void {
    this.broken = true;
    this.chunks.length = 0;
    this.waiting = 0;
  }

  private pack(): void {
    if (this.text === '') return;
    const chunk = Buffer.from(this.text);
    this.waiting += chunk.length - this.text.length;
    this.chunks.push(chunk);
    this.text = '';
  }

  private report(): void {
    if (this.dropped === 0 || this.waiting > RESUME_BYTES) return;
    const lines = this.dropped;
    this.reported += lines;
    this.dropped = 0;
    this.reportDropped(lines);
  }
}

/**
 * Opens a descriptor again as non-blocking, because processes that share a pipe also share its blocking mode. A file never blocks for long.
 */
export function openWithoutBlocking(descriptor: number): number {
  if (fstatSync(descriptor).isFile()) return descriptor;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Sockets cannot be reopened, and some systems have no /proc: there Node made it non-blocking when `process.stdout` was read.
    return descriptor;
  }
}
