import { randomBytes } from 'node:crypto';

const US_PER_MS = 1_000;
/** The time of a UUID of version 7, of the years 2004 to 2074. The first epoch of a database is random, and hardly ever looks like this. */
const DATED = /^(0[12][0-9a-f]{10})7[0-9a-f]{3}[89ab]/;

/**
 * Makes the epoch of a history that replaces another one: a UUID of version 7 without hyphens, whose time says which instants may be of the
 * replaced history. Source: RFC 9562, section 5.7.
 * @param lastUs the last instant that was given out before, in microseconds
 */
export function replacingEpoch(lastUs: number): string {
  const time = Math.ceil(lastUs / US_PER_MS)
    .toString(16)
    .padStart(12, '0');
  const random = randomBytes(10).toString('hex');
  return `${time}7${random.slice(0, 3)}8${random.slice(3, 18)}`;
}

/** @returns the instant in microseconds up to which instants may be of a history that this one replaced; -1 where it replaced none */
export function replacedUpToUs(epoch: string): number {
  const time = DATED.exec(epoch)?.[1];
  return time === undefined ? -1 : Number.parseInt(time, 16) * US_PER_MS;
}
