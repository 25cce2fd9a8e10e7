import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { logger } from '../platform/logging/logger.js';

/** Why the service closes a connection before it has answered every request on it. */
export type CutReason =
  | 'another client needed its place'
  | 'an answer that had begun could not be completed'
  | 'nothing was sent or read for a minute'
  | 'the drain has ended'
  | 'too many requests were sent ahead'
  | 'the rest of a request that is answered was late or broken';

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
