import { randomBytes } from 'node:crypto';

const US_PER_MS = 1_000;
/** A UUID of version 7 with a time from 2004 to 2074. A database's first epoch is random, and very unlikely to match. */
const UUID_V7 = /^(0[12][0-9a-f]{10})7[0-9a-f]{3}[89ab]/;

/**
 * Creates the epoch of a history that replaces another: a UUID of version 7 without hyphens. Instants up to its time may be of the replaced
 * history. Source: RFC 9562, section 5.7.
 * @param lastUs the last instant of the replaced history, in microseconds
 */
export function replacingEpoch(lastUs: number): string {
  const time = Math.ceil(lastUs / US_PER_MS)
    .toString(16)
    .padStart(12, '0');
  const random = randomBytes(10).toString('hex');
  return `${time}7${random.slice(0, 3)}8${random.slice(3, 18)}`;
}

/** @returns the last instant, in microseconds, that may be of the replaced history; -1 if the epoch's history replaced none */
export function replacedUpToUs(epoch: string): number {
  const time = UUID_V7.exec(epoch)?.[1];
  return time === undefined ? -1 : Number.parseInt(time, 16) * US_PER_MS;
}
