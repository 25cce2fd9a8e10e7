import cluster from 'node:cluster';
import { pino } from 'pino';

/**
 * One JSON line an event on standard output. What may carry a secret (headers, queries, bodies, statements) is never handed to it.
 * The level is set once at start, from the configuration.
 */
export const logger = pino({
  // Which of several processes wrote a line.
  base: cluster.isWorker ? { worker: process.pid } : undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
});
