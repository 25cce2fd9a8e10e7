import type { Config } from '../../platform/config/config.js';
import type { KnownTime } from '../../database/repositories/clock-repository.js';

/** How far a clock may be off; in microseconds. */
export interface ClockBounds {
  /** Ahead of the time at which the registry was last at work. */
  jumpUs: number;
  /** Away from the database server's clock, behind the last instant, or away from where it was. */
  stepUs: number;
}

/** A clock read before and after the database was asked. The database's answer is of a moment between the two. */
export interface Span {
  fromUs: number;
  toUs: number;
}

/**
 * Why a clock is not believed: it is not the database server's (`server`), behind the last instant that was given out (`instants`), behind
 * the time at which the registry was last at work (`back`), far ahead of that (`jump`), or it was set while the service ran (`step`).
 */
export interface ClockFault {
  kind: 'server' | 'instants' | 'back' | 'jump' | 'step';
  /** How far the clock is ahead, in microseconds; negative: behind. */
  byUs: number;
  /** The instant that it is compared with, in microseconds. */
  ofUs: number;
}

/**
 * After a longer pause of the registry than this, the clock is in doubt although the database server's agrees with it: where both run on
 * one machine, both are wrong together.
 */
const LONGEST_REST_US = 400 * 86_400_000_000;

/** How long the registry may pause before a clock is in doubt that another clock, or an operator, confirms. In microseconds. */
export function longestRestUs({ jumpUs }: Pick<ClockBounds, 'jumpUs'>): number {
  return Math.max(jumpUs, LONGEST_REST_US);
}

export function clockBoundsIn({ clockMaxJumpMs, clockMaxStepMs }: Config): ClockBounds {
  return { jumpUs: clockMaxJumpMs * 1_000, stepUs: clockMaxStepMs * 1_000 };
}

/**
 * Finds what is wrong for certain: the difference exceeds the bound at every moment between the two readings of the span.
 * @param workedUs when this process last believed its clock, in microseconds; 0 for never
 */
export function findClockFault(
  span: Span,
  known: KnownTime,
  bounds: ClockBounds,
  workedUs = 0,
): ClockFault | undefined {
  return faultByServer(span, known, bounds) ?? faultByPast(span, known, bounds, workedUs);
}

function faultByServer({ fromUs, toUs }: Span, { databaseUs }: KnownTime, { stepUs }: ClockBounds) {
  if (databaseUs === undefined) return undefined;
  if (fromUs - databaseUs > stepUs) return { kind: 'server' as const, byUs: fromUs - databaseUs, ofUs: databaseUs };
  if (databaseUs - toUs > stepUs) return { kind: 'server' as const, byUs: toUs - databaseUs, ofUs: databaseUs };
  return undefined;
}

/** Compares with the past. Of two clocks that agree the later one counts: another process may take its instants from that one. */
function faultByPast(
  { fromUs, toUs }: Span,
  { databaseUs, lastUs, leadUs, seenUs }: KnownTime,
  { jumpUs, stepUs }: ClockBounds,
  workedUs: number,
): ClockFault | undefined {
  const nowUs = Math.max(toUs, databaseUs ?? 0);
  if (lastUs - leadUs - nowUs > stepUs) return { kind: 'instants', byUs: nowUs - lastUs, ofUs: lastUs };
  const isAlone = databaseUs === undefined;
  if (isAlone && seenUs - nowUs > stepUs) return { kind: 'back', byUs: nowUs - seenUs, ofUs: seenUs };
  const beforeUs = Math.max(lastUs - leadUs, seenUs, workedUs);
  const mostUs = isAlone ? jumpUs : longestRestUs({ jumpUs });
  if (beforeUs > 0 && fromUs - beforeUs > mostUs) return { kind: 'jump', byUs: fromUs - beforeUs, ofUs: beforeUs };
  return undefined;
}
