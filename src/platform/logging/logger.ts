import { Console } from 'node:console';
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { terminalLine } from './terminal-line.js';

/** Asked for when this file is loaded: Node makes a socket non-blocking by it. */
const STDOUT = process.stdout.fd;

let output: LogOutput | undefined;

/**
 * One JSON line an event on standard output, or one for people where that is a terminal. What may carry a secret (headers, queries, bodies, statements) is never handed to it.
 * The level is set once at start, from the configuration.
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

/** Prints a line for people, which never fails, like a line of the log. */
export function printLine(line: string): void {
  write(`${line}\n`);
}

/**
 * From now on what anybody prints by `console` is a line of the log: the database's driver tells there what it finds odd. So is what Node
 * itself warns of.
 */
export function takeConsole(): void {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      logger.warn(text.trimEnd());
      done();
    },
  });
  globalThis.console = new Console(stream);
  // Node's own listener prints to standard error. There is none where nobody wants to read that.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, code }: NodeJS.ErrnoException) =>
    logger.warn({ warning: name, code }, message),
  );
}

/** No request waits for the lines of others. What is not written yet is written at the end of the process, but for a kill -9. */
function openOutput(): LogOutput {
  const opened = new LogOutput(openWithoutBlocking(STDOUT), (lines) =>
    logger.error({ lines }, 'lines of the log were dropped: nobody read it'),
  );
  process.once('exit', () => opened.writeAtEnd());
  return opened;
}

/** Since the process began. */
export function droppedLogLines(): number {
  return output?.droppedInAll ?? 0;
}

/** Database drivers put statements and values into their messages, so of those only the stack's frames are kept. */
export function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  const message = 'driverError' in thrown ? '' : `: ${thrown.message}`;
  return [`${thrown.name}${message}`, ...frames].join('\n');
}

/** What waits for its reader at most, in bytes; a line that has no room is dropped. */
const MAX_WAITING = 8 * 2 ** 20;
/** Lines are accepted again, and told how many were dropped, when so much of it is free. */
const ROOM_AGAIN = MAX_WAITING / 2;
const CHUNK = 64 * 1_024;
/** In one round of the event loop. */
const MAX_CHUNKS = 4;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/**
 * At the end of the process: for how many pauses (a second, two seconds) a reader that takes nothing is waited for, and one that takes
 * something. They are counted, as a process that was frozen has not waited meanwhile.
 */
const END_PAUSES = { stuck: 200, all: 400 };

/**
 * Writes lines to a descriptor that says at once when it is full, so that a reader that does not read can neither hold up the process nor
 * its end. A write in Node's thread pool would do both: it cannot be taken back, and Node waits for it before it exits.
 */
export class LogOutput {
  private readonly chunks: Buffer[] = [];
  /** The newest lines, not a chunk yet. */
  private text = '';
  private waiting = 0;
  /** Not told yet. */
  private dropped = 0;
  private droppedBefore = 0;
  private scheduled = false;
  private broken = false;
  private pauseMs = SHORTEST_PAUSE_MS;

  /**
   * @param descriptor that does not block
   * @param tellDropped writes a line that says how many were dropped
   */
  constructor(
    private readonly descriptor: number,
    private readonly tellDropped: (lines: number) => void,
  ) {}

  get droppedInAll(): number {
    return this.droppedBefore + this.dropped;
  }

  /** Never waits and never fails. */
  write(line: string): void {
    if (this.broken) return;
    if (this.dropped > 0 || this.waiting + line.length > MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.text += line;
    this.waiting += line.length;
    if (this.text.length >= CHUNK) this.pack();
    // What comes in one round of the event loop is written together.
    if (!this.scheduled) this.schedule(() => setImmediate(this.pump));
  }

  /** When the process ends and nothing can be awaited any more. What a reader has not taken soon is lost. */
  writeAtEnd(): void {
    for (let pauses = 0, stuckSince = 0; ; pauses++) {
      if (this.writeSome()) stuckSince = pauses;
      this.tell();
      if (this.waiting === 0 || pauses - stuckSince > END_PAUSES.stuck || pauses > END_PAUSES.all) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORTEST_PAUSE_MS);
    }
  }

  private schedule(later: () => unknown): void {
    this.scheduled = true;
    later();
  }

  private readonly pump = (): void => {
    this.scheduled = false;
    const moved = this.writeSome();
    this.tell();
    if (this.waiting === 0 || this.scheduled) return;
    this.pauseMs = moved ? SHORTEST_PAUSE_MS : Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    // The process may end meanwhile: what waits is written then.
    this.schedule(() => setTimeout(this.pump, this.pauseMs).unref());
  };

  /** @returns whether the reader took anything */
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
      // Full is the pipe, or the disk: there may be room again.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') this.giveUp();
    }
    return written > 0;
  }

  /** Nobody will ever read it: the pipe's other end is closed. */
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

  private tell(): void {
    if (this.dropped === 0 || this.waiting > ROOM_AGAIN) return;
    const lines = this.dropped;
    this.droppedBefore += lines;
    this.dropped = 0;
    this.tellDropped(lines);
  }
}

/**
 * Standard output as it can be written to without being held up. Processes that share a pipe share whether it blocks; so it is opened once more, for this process alone. A file never blocks for long.
 */
export function openWithoutBlocking(descriptor: number): number {
  if (fstatSync(descriptor).isFile()) return descriptor;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A socket cannot be opened, and some systems have no /proc: Node has made it so when it was asked for `process.stdout`.
    return descriptor;
  }
}
