import type { Asset } from '../../database/entities/asset.entity.js';
import type { LedgerClock } from '../watermarks.js';
import { decideAll, decideMore, type Decided, type DecidingTerms } from './decide.js';
import type { DatedChange, DraftedChange } from './drafted-change.js';
import type { BatchTimes, LedgerObserver } from './ledger-observer.js';
import { type LedgerStore, type LedgerTransaction, OutcomeUnknownError } from './ledger-store.js';
import { auditOf, numberNewAssets, numbersFor, stamp, storedBytes, type TakenNumbers } from './written-rows.js';
import { resolveOutcome } from './commit-outcome.js';
import type { PendingOperation } from './pending-operation.js';
import type { Timing } from '../clock/wall-clock.js';

/** A whole batch, unless it has an operation of more assets. */
const WRITTEN_AT_ONCE = 64;

export interface BatchContext {
  store: LedgerStore;
  timing: Timing;
  clock: Pick<LedgerClock, keyof LedgerClock>;
  observer?: LedgerObserver | undefined;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

/** What a batch may do, and who may join it. */
interface BatchTerms extends DecidingTerms {
  /** Called when it has the clock: takes what has come while it waited, to be a part of it. */
  gather: () => PendingOperation[];
}

interface Given {
  drafted: DatedChange[];
  /** Some may be too many, for those who are not written any more, or of another day than the instants. */
  taken: TakenNumbers[];
}

/** When a batch came to its steps, in milliseconds. */
type Steps = Record<'begunMs' | 'askedMs' | 'takenMs', number>;

/**
 * Runs pending operations, at most one per asset, in one transaction. Answers those that changed something after the commit only.
 * Of several assets an operation is one: it is in the transaction with all that it changes, or with nothing.
 * @returns those that did not fit, or want what another transaction holds: untouched, and in their order
 * @throws RetryableError, DatabaseAwayError or the driver's error; then nothing was kept, and what was not refused is still pending
 */
export async function runBatch(
  batch: readonly PendingOperation[],
  context: BatchContext,
  terms: BatchTerms,
): Promise<PendingOperation[]> {
  const steps = { begunMs: performance.now(), askedMs: NaN, takenMs: NaN };
  const transaction = await context.store.begin();
  let stamped: Asset[];
  let drafted: DatedChange[];
  let later: PendingOperation[];
  try {
    const first = await decideAll(batch, transaction, context.clock, terms);
    const given = await dateAll(first, transaction, context, terms, steps);
    ({ drafted, later } = given);
    if (drafted.length === 0) {
      await transaction.rollback();
      return later;
    }
    stamped = await stampAll(given, transaction, context);
    await writeAll(drafted, stamped, transaction, context);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await commit(transaction, drafted, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);
  for (const [pending, answer] of answersOf(drafted, stamped)) pending.resolve(answer);
  return later;
}

/**
 * Advances the feed's clock, and takes what has come while it was waited for. From here to the commit every other writer waits: nothing slow
 * belongs here.
 */
async function dateAll(
  { drafted, later, bytes }: Decided,
  transaction: LedgerTransaction,
  context: BatchContext,
  { mostBytes, gather }: BatchTerms,
  steps: Steps,
): Promise<Given & { later: PendingOperation[] }> {
  const given: Given = { drafted: [], taken: [] };
  if (drafted.length === 0) return { ...given, later };
  steps.askedMs = performance.now();
  await advanceClock(drafted, given, transaction, context);
  steps.takenMs = performance.now();
  const come = later.length === 0 ? gather() : [];
  const more = come.length === 0 ? undefined : await decideMore(come, transaction, mostBytes - bytes);
  if (more !== undefined && more.drafted.length > 0) await advanceClock(more.drafted, given, transaction, context);
  // Who was told meanwhile that it took too long is not in the batch.
  const left = given.drafted.filter(({ pending }) => !pending.settled);
  return { drafted: left, taken: given.taken, later: [...later, ...(more?.later ?? [])] };
}

/** Which day it is follows from the instants, which are nearly always of the candidate's day: so the numbers are asked for with them. */
async function advanceClock(
  drafted: readonly DraftedChange[],
  given: Given,
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<void> {
  const candidateUs = context.clock.candidateUs();
  const numbers = numbersFor(drafted, candidateUs, context);
  const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, drafted.length, numbers);
  const firstUs = lastUs - drafted.length + 1;
  given.drafted.push(...drafted.map((one, i) => ({ ...one, us: firstUs + i })));
  if (numbers !== undefined) given.taken.push({ ...numbers, last: lastNumber });
}

async function stampAll(
  { drafted, taken }: Given,
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Asset[]> {
  const assetIds = await numberNewAssets(drafted, taken, transaction, context);
  return drafted.map(({ current, draft, us }, i) =>
    stamp(draft, current, us, current?.assetId ?? (assetIds.get(i) as string)),
  );
}

/** Writes a batch's rows some at a time: statements with many rows are large, and SQLite runs each of them to its end. */
async function writeAll(
  drafted: readonly DraftedChange[],
  stamped: readonly Asset[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<void> {
  const nowUs = context.clock.timeUs();
  for (let from = 0; from < drafted.length; from += WRITTEN_AT_ONCE) {
    const to = from + WRITTEN_AT_ONCE;
    await write(drafted.slice(from, to), stamped.slice(from, to), transaction, nowUs, context.clock.dayOf(nowUs));
  }
}

async function write(
  drafted: readonly DraftedChange[],
  stamped: readonly Asset[],
  transaction: LedgerTransaction,
  nowUs: number,
  day: string,
): Promise<void> {
  const created = stamped.filter((_, i) => drafted[i]?.current === undefined);
  const changed = stamped.filter((_, i) => drafted[i]?.current !== undefined);
  const revisions = drafted.flatMap(({ ended }, i) =>
    ended === undefined ? [] : [{ ...ended, untilUs: (stamped[i] as Asset).modifiedUs }],
  );
  // Dated by the time and not by the instant, which may be ahead of it: they are kept for 24 hours of real time.
  const receipts = drafted.flatMap(({ pending: { operation } }) =>
    operation.receipt === undefined ? [] : [{ ...operation.receipt, createdUs: nowUs }],
  );
  const audit = drafted.map(({ pending: { operation }, current, draft }, i) =>
    auditOf(operation.author, current, draft, stamped[i] as Asset),
  );
  const usedCodes = drafted.flatMap(({ pending: { operation } }) => (operation.usesCode ? operation.ids : []));
  const stored = storedBytes(drafted, day);
  await transaction.write({ created, changed, revisions, receipts, audit, usedCodes, stored });
}

async function commit(
  transaction: LedgerTransaction,
  drafted: readonly DraftedChange[],
  stamped: readonly Asset[],
  context: BatchContext,
  steps: Steps,
): Promise<void> {
  const sentMs = performance.now();
  try {
    await transaction.commit();
  } catch (error) {
    await transaction.rollback();
    if (!(error instanceof OutcomeUnknownError)) throw error;
    context.observer?.outcomeUnknown();
    rememberAttempt(drafted, stamped);
    await resolveOutcome(stamped, context);
    return;
  }
  const bytes = drafted.reduce((sum, one) => sum + one.bytes, 0);
  context.observer?.committed({ changes: drafted.length, bytes, ...timesOf(steps, sentMs) });
}

/** What the operations are answered: their assets as they were found, and those that they change as they are now. */
function answersOf(drafted: readonly DraftedChange[], stamped: readonly Asset[]): Map<PendingOperation, Asset[]> {
  const answers = new Map<PendingOperation, Asset[]>();
  for (const [i, { pending, place }] of drafted.entries()) {
    const answer = answers.get(pending) ?? [...(pending.found as Asset[])];
    answer[place] = stamped[i] as Asset;
    answers.set(pending, answer);
  }
  return answers;
}

function rememberAttempt(drafted: readonly DraftedChange[], stamped: readonly Asset[]): void {
  for (const [pending, answer] of answersOf(drafted, stamped)) {
    const written = stamped.filter((_, i) => drafted[i]?.pending === pending);
    pending.attempt = { answer, instants: new Map(written.map(({ id, modifiedUs }) => [id, modifiedUs])) };
  }
}

function timesOf({ begunMs, askedMs, takenMs }: Steps, sentMs: number): Omit<BatchTimes, 'changes' | 'bytes'> {
  const overMs = performance.now();
  return {
    totalMs: overMs - begunMs,
    clockWaitMs: takenMs - askedMs,
    clockHeldMs: overMs - takenMs,
    commitMs: overMs - sentMs,
  };
}
