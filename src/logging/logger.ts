import cluster from 'node:cluster';
import { pino } from 'pino';
import { LogOutput, openWithoutBlocking } from './log-output.js';

/** Asked for when this file is loaded: Node makes a socket non-blocking by it. */
const STDOUT = process.stdout.fd;

let output: LogOutput | undefined;

/**
 * One JSON line an event on standard output. What may carry a secret (headers, queries, bodies, statements) is never handed to it.
 * The level is set once at start, from the configuration.
 */
export const logger = pino(
  {
    // Which of several processes wrote a line.
    base: cluster.isWorker ? { worker: process.pid } : undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
  },
  { write },
);

function write(line: string): void {
  output ??= openOutput();
  output.write(line);
}

/** A line of another process, as it is. */
export function passOn(line: string): void {
  write(`${line}\n`);
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
