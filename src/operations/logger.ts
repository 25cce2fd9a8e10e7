import cluster from 'node:cluster';
import { pino } from 'pino';

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
  // No request waits for the lines of others. What is not written yet is written at the end of the process, but for a kill -9.
  pino.destination({ sync: false }),
);
