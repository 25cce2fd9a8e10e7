import { setImmediate as turn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors/errors.js';
import { Line } from './line.js';

/*
 * Work that would hold the event loop for long is done in pieces: a step of a search, a page of large assets that is printed, some entries of a
 * digest. Pieces of all kinds wait in one queue for a turn of the loop, so that they share 2 ms of a turn, beyond which only the step under way
 * goes on (decision 60).
 */

/** How long the pieces of one turn, together, may hold it, in milliseconds: after that none begins, and one that goes on gives way. */
const HELD_MS = 2;
/**
 * Turns without pieces after one that was held so long. Node accepts one connection in a turn and reads from it in the next: with pieces in
 * each of them, a new connection would wait for several.
 */
const TURNS_FOR_OTHERS = 8;

/** How long work in the background may hold a turn, in milliseconds. */
const HELD_BESIDE_MS = 5;

/** Parsing, checking or printing more bytes than this takes milliseconds, and is done in steps. */
export const LARGE_BYTES = 64 * 1024;

/**
 * The longest rest after a turn that was held, in milliseconds; it is no longer than that turn. The eight turns are over in a tenth of a
 * millisecond, and a small read asks the database two or three times, so else it would wait for a piece each time.
 */
const MOST_REST_MS = 10;

/** Small statements that the database has not answered yet. */
let asked = 0;
/** Set while pieces rest for these: begins the next one. */
let endRest: (() => void) | undefined;

const pieces = new Line(HELD_MS, (again, heldMs) =>
  leaveTurns(again, TURNS_FOR_OTHERS, performance.now() + Math.min(heldMs, MOST_REST_MS)),
);

/** Resolves in a turn of the event loop in which a piece may begin, first come, first served. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => pieces.add(resolve));
}

/** To be awaited between two steps of a piece: resolves at once while this turn has time left, else in another turn. */
export async function giveWay(): Promise<void> {
  if (!pieces.hasTime) await ownTurn();
}

/** Lets pieces rest while a small statement is not answered. @param statement begins it @returns what it is answered */
export async function beforePieces<Answer>(statement: () => Promise<Answer>): Promise<Answer> {
  asked++;
  try {
    return await statement();
  } finally {
    if (--asked === 0) endRest?.();
  }
}

/**
 * For work in the background, which stands beside the queue: what requests write faster than it follows would pile up.
 * @returns what is to be awaited between two of its steps
 */
export function givingWayBeside(): () => Promise<void> {
  let heldSinceMs = performance.now();
  return async () => {
    if (performance.now() - heldSinceMs < HELD_BESIDE_MS) return;
    await turn();
    heldSinceMs = performance.now();
  };
}

/** Does all steps of `work` without a pause. @returns what the generator returns */
export function runSteps<Result>(work: Generator<void, Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** Does the steps of `work`, and awaits `pause` between two of them. @returns what the generator returns */
export async function runStepsInTurns<Result>(work: Generator<void, Result>, pause = giveWay): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Whoever asked for a piece of work, and may go away before it begins. */
export interface Requester {
  isGone(): boolean;
}

/** A semaphore for work that holds the event loop: each piece waits for its turn before it begins. */
export class TurnLimit {
  private readonly limit: LimitFunction;

  /**
   * @param most pieces under way at once
   * @param dialect of the database that they read: where its calls block the event loop, one piece at a time is read and printed
   */
  constructor(most: number, { pagesInATurn }: { pagesInATurn: number } = { pagesInATurn: Infinity }) {
    this.limit = pLimit(Math.min(most, pagesInATurn));
  }

  /** @throws what `work` throws; ApiError 503 where the requester has gone before it began */
  run<Result>(work: () => Promise<Result>, requester?: Requester): Promise<Result> {
    return this.limit(async () => {
      await ownTurn();
      // A client that asks and goes away again and again would make others wait for what nobody sees.
      if (requester?.isGone()) throw unavailable();
      return work();
    });
  }
}

/** @param restUntilMs how long pieces rest where others wait for the database */
function leaveTurns(again: () => void, left: number, restUntilMs: number): void {
  setImmediate(() => (left === 0 ? rest(again, restUntilMs) : leaveTurns(again, left - 1, restUntilMs)));
}

function rest(again: () => void, untilMs: number): void {
  const leftMs = untilMs - performance.now();
  if (asked === 0 || leftMs <= 0) {
    again();
    return;
  }
  const timer = setTimeout(() => {
    endRest = undefined;
    again();
  }, leftMs);
  endRest = () => {
    clearTimeout(timer);
    endRest = undefined;
    // Who is answered may ask again.
    leaveTurns(again, TURNS_FOR_OTHERS, untilMs);
  };
}
