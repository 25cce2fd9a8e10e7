import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { logger } from '../platform/logging/logger.js';

/** Why the service closes a connection before it has answered every request on it. */
export type CutReason =
  | 'its slot went to another client'
  | 'an answer failed after it had begun'
  | 'idle for a minute'
  | 'the drain has ended'
  | 'too many pipelined requests'
  | 'the rest of an answered request was late or malformed';

/** Closes a connection at once, and logs why. */
export function cutConnection(connection: Duplex | null, reason: CutReason): void {
  if (connection === null || connection.destroyed) return;
  logCut(connection instanceof Socket ? connection.remoteAddress : undefined, reason);
  connection.destroy();
}

/** Logs the cut of a connection that is closed elsewhere. */
export function logCut(address: string | undefined, reason: CutReason): void {
  logger.info({ address, reason }, 'a connection was cut');
}
