/*
 * What connections still have to be given: more of their bytes are parsed, or the next of their requests is answered. There may be twenty
 * thousand, of people without a key, so that they do not stand in the line of pieces of work: a search would wait for all of them.
 */

/** How long those of one turn of the event loop, together, may hold it: after that none begins. */
const HELD_MS = 2;

const waiting: (() => void)[] = [];
/** Whether a turn is scheduled, or one under way, that will begin the next of `waiting`. */
let isScheduled = false;
let beganMs = -Infinity;

/** Calls `act` in a turn of the event loop that has time left, first come, first served. Every second turn has none of them. */
export function inLine(act: () => void): void {
  waiting.push(act);
  if (!isScheduled) setImmediate(beginTurn);
  isScheduled = true;
}

function beginTurn(): void {
  beganMs = performance.now();
  beginNext();
}

function beginNext(): void {
  const act = waiting.shift();
  isScheduled = act !== undefined;
  if (act === undefined) return;
  // The next tick comes when no microtask is left: when what was begun waits for something, or is over.
  queueMicrotask(() => process.nextTick(goOn));
  act();
}

function goOn(): void {
  if (performance.now() - beganMs < HELD_MS) beginNext();
  else setImmediate(() => setImmediate(beginTurn));
}
