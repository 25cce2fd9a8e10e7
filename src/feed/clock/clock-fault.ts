import type { Config } from '../../platform/config/config.js';
import type { KnownTime } from '../../database/repositories/clock-repository.js';

/** Permitted differences of clocks, in microseconds. */
export interface ClockBounds {
  /** Ahead of the time at which the registry was last at work. */
  jumpUs: number;
  /** From the database server's clock, behind the last instant, or from this clock's earlier course. */
  stepUs: number;
}

/** A clock read before and after a query: the database read its own clock between the two. */
export interface Span {
  fromUs: number;
  toUs: number;
}

/**
 * Why a clock is not trusted: it differs from the database server's (`server`), is behind the last instant of the feed (`instants`), behind
 * the time at which the registry was last at work (`back`), far ahead of that (`jump`), or was set while the service ran (`step`).
 */
export interface ClockFault {
  kind: 'server' | 'instants' | 'back' | 'jump' | 'step';
  /** How far the clock is ahead, in microseconds; negative: behind. */
  aheadUs: number;
  /** The time it was compared with, in microseconds. */
  referenceUs: number;
}

/**
 * After a longer pause of the registry the clock is in doubt even if the database server's agrees with it: on one machine both may be wrong.
 */
const MAX_PAUSE_US = 400 * 86_400_000_000;

/** How long the registry may pause, in microseconds, before a clock is in doubt even if another clock or an operator confirms it. */
export function maxPauseUs({ jumpUs }: Pick<ClockBounds, 'jumpUs'>): number {
  return Math.max(jumpUs, MAX_PAUSE_US);
}

export function clockBoundsIn({ clockMaxJumpMs, clockMaxStepMs }: Config): ClockBounds {
  return { jumpUs: clockMaxJumpMs * 1_000, stepUs: clockMaxStepMs * 1_000 };
}

/**
 * Reports only a certain fault: the difference exceeds the bound at every moment between the two readings of the span.
 * @param trustedUs when this process last trusted its clock, in microseconds; 0 for never
 */
export function findClockFault(
  span: Span,
  known: KnownTime,
  bounds: ClockBounds,
  trustedUs = 0,
): ClockFault | undefined {
  return faultByServer(span, known, bounds) ?? faultByPast(span, known, bounds, trustedUs);
}

function faultByServer({ fromUs, toUs }: Span, { databaseUs }: KnownTime, { stepUs }: ClockBounds) {
  if (databaseUs === undefined) return undefined;
  if (fromUs - databaseUs > stepUs)
    return { kind: 'server' as const, aheadUs: fromUs - databaseUs, referenceUs: databaseUs };
  if (databaseUs - toUs > stepUs)
    return { kind: 'server' as const, aheadUs: toUs - databaseUs, referenceUs: databaseUs };
  return undefined;
}

/** Compares with the past. The later of two agreeing clocks counts, because another process may take its instants from it. */
function faultByPast(
  { fromUs, toUs }: Span,
  { databaseUs, lastUs, leadUs, seenUs }: KnownTime,
  { jumpUs, stepUs }: ClockBounds,
  trustedUs: number,
): ClockFault | undefined {
  const nowUs = Math.max(toUs, databaseUs ?? 0);
  if (lastUs - leadUs - nowUs > stepUs) return { kind: 'instants', aheadUs: nowUs - lastUs, referenceUs: lastUs };
  const isAlone = databaseUs === undefined;
  if (isAlone && seenUs - nowUs > stepUs) return { kind: 'back', aheadUs: nowUs - seenUs, referenceUs: seenUs };
  const beforeUs = Math.max(lastUs - leadUs, seenUs, trustedUs);
  const maxUs = isAlone ? jumpUs : maxPauseUs({ jumpUs });
  if (beforeUs > 0 && fromUs - beforeUs > maxUs)
    return { kind: 'jump', aheadUs: fromUs - beforeUs, referenceUs: beforeUs };
  return undefined;
}
