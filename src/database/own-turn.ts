/*
 * Pieces of work that hold the event loop: a step of a search, a page of large assets that is printed, some entries of a digest. All kinds of
 * them stand in one line, as whoever asks for something small waits for all that is done in a turn of the loop, whatever it is.
 */

/** So long may pieces hold a turn, all of them together and each until it gives way: then no other begins in it. */
const HELD_MS = 2;
/**
 * Turns without pieces after such a one. Node accepts one connection in a turn and reads from it in the next: with pieces in each, who comes
 * would wait for several.
 */
const TURNS_FOR_OTHERS = 8;

const waiting: (() => void)[] = [];
/** Whether somebody sees to those who wait. */
let isSeenTo = false;
let heldUntilMs = -Infinity;

/** Resolves in a turn of the event loop in which pieces may begin, in the order of asking. */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isSeenTo) setImmediate(beginTurn);
    isSeenTo = true;
  });
}

/** For a piece that goes on: it has another turn of its own where the time of this one is over. */
export async function giveWay(): Promise<void> {
  if (performance.now() >= heldUntilMs) await ownTurn();
}

/** To parse, check or print more bytes than this takes milliseconds: it is done in steps. */
export const LARGE_BYTES = 64 * 1024;

function beginTurn(): void {
  heldUntilMs = performance.now() + HELD_MS;
  beginNext();
}

function beginNext(): void {
  const begin = waiting.shift();
  isSeenTo = begin !== undefined;
  if (begin === undefined) return;
  begin();
  // A tick that is asked for by a microtask comes when there is none left: when the piece waits for something, or is over.
  queueMicrotask(() => process.nextTick(goOn));
}

function goOn(): void {
  if (performance.now() < heldUntilMs) beginNext();
  else leaveTurns(TURNS_FOR_OTHERS);
}

function leaveTurns(left: number): void {
  setImmediate(() => (left === 0 ? beginTurn() : leaveTurns(left - 1)));
}
