import type { Asset } from '../../database/entities/asset.entity.js';
import type { LedgerClock } from '../watermarks.js';
import { decideAll, decideJoining, type Decided, type DecisionLimits } from './decide.js';
import type { DatedChange, DecidedChange } from './decided-change.js';
import type { LedgerObserver } from './ledger-observer.js';
import { type LedgerStore, type LedgerTransaction, OutcomeUnknownError } from './ledger-store.js';
import { auditOf, numberNewAssets, numbersFor, stamp, storedBytes, type NumberRange } from './written-rows.js';
import { resolveOutcome } from './commit-outcome.js';
import type { PendingOperation } from './pending-operation.js';
import type { Timing } from '../clock/wall-clock.js';

/** Changes written by one set of statements: a whole batch, unless an operation has more assets. */
const CHANGES_PER_WRITE = 64;

export interface BatchContext {
  store: LedgerStore;
  timing: Timing;
  clock: Pick<LedgerClock, keyof LedgerClock>;
  observer?: LedgerObserver | undefined;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

interface BatchOptions extends DecisionLimits {
  /** Called once the batch has locked the clock. @returns operations that arrived meanwhile, to join the batch */
  gather: () => PendingOperation[];
}

interface DatedBatch {
  changes: DatedChange[];
  /** Reserved numbers. Some may be superfluous, because their operations dropped out or the instants are of another day. */
  reserved: NumberRange[];
}

/** When a batch reached its steps, in milliseconds. */
type Steps = Record<'begunMs' | 'clockRequestedMs' | 'clockLockedMs', number>;

/**
 * Runs pending operations, at most one per asset, in one transaction. Answers those that changed something only after the commit.
 * @returns the operations that did not fit or whose assets another transaction has locked: unchanged, and in their order
 * @throws RetryableError, DatabaseAwayError or the driver's error; then nothing was written, and operations that were not refused are still
 * pending
 */
export async function runBatch(
  batch: readonly PendingOperation[],
  context: BatchContext,
  terms: BatchOptions,
): Promise<PendingOperation[]> {
  const steps = { begunMs: performance.now(), clockRequestedMs: NaN, clockLockedMs: NaN };
  const transaction = await context.store.begin();
  let stamped: Asset[];
  let changes: DatedChange[];
  let later: PendingOperation[];
  try {
    const first = await decideAll(batch, transaction, context.clock, terms);
    const given = await dateAll(first, transaction, context, terms, steps);
    ({ changes, later } = given);
    if (changes.length === 0) {
      await transaction.rollback();
      return later;
    }
    stamped = await stampAll(given, transaction, context);
    await writeAll(changes, stamped, transaction, context);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await commit(transaction, changes, stamped, context, steps);
  context.clock.committed((stamped.at(-1) as Asset).modifiedUs);
  for (const [pending, answer] of answersOf(changes, stamped)) pending.resolve(answer);
  return later;
}

/**
 * Locks and advances the feed's clock, and lets operations that arrived meanwhile join. From here to the commit all other writers wait, so
 * nothing slow belongs here.
 */
async function dateAll(
  { changes, later, bytes }: Decided,
  transaction: LedgerTransaction,
  context: BatchContext,
  { maxBytes, gather }: BatchOptions,
  steps: Steps,
): Promise<DatedBatch & { later: PendingOperation[] }> {
  const dated: DatedBatch = { changes: [], reserved: [] };
  if (changes.length === 0) return { ...dated, later };
  steps.clockRequestedMs = performance.now();
  await advanceClock(changes, dated, transaction, context);
  steps.clockLockedMs = performance.now();
  const arrived = later.length === 0 ? gather() : [];
  const joined = arrived.length === 0 ? undefined : await decideJoining(arrived, transaction, maxBytes - bytes);
  if (joined !== undefined && joined.changes.length > 0)
    await advanceClock(joined.changes, dated, transaction, context);
  // Operations that have passed their deadline meanwhile were answered, so they drop out.
  const left = dated.changes.filter(({ pending }) => !pending.settled);
  return { changes: left, reserved: dated.reserved, later: [...later, ...(joined?.later ?? [])] };
}

/** Reserves instants, and with the same request the numbers: the instants are nearly always of the candidate's day. */
async function advanceClock(
  changes: readonly DecidedChange[],
  dated: DatedBatch,
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<void> {
  const candidateUs = context.clock.candidateUs();
  const numbers = numbersFor(changes, candidateUs, context);
  const { lastUs, lastNumber } = await transaction.advanceClock(candidateUs, changes.length, numbers);
  const firstUs = lastUs - changes.length + 1;
  dated.changes.push(...changes.map((one, i) => ({ ...one, us: firstUs + i })));
  if (numbers !== undefined) dated.reserved.push({ ...numbers, last: lastNumber });
}

async function stampAll(
  { changes, reserved }: DatedBatch,
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Asset[]> {
  const assetIds = await numberNewAssets(changes, reserved, transaction, context);
  return changes.map(({ current, next, us }, i) =>
    stamp(next, current, us, current?.assetId ?? (assetIds.get(i) as string)),
  );
}

/** Writes a batch's rows in chunks: SQLite blocks the process during a statement. */
async function writeAll(
  changes: readonly DecidedChange[],
  stamped: readonly Asset[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<void> {
  const nowUs = context.clock.timeUs();
  for (let from = 0; from < changes.length; from += CHANGES_PER_WRITE) {
    const to = from + CHANGES_PER_WRITE;
    await write(changes.slice(from, to), stamped.slice(from, to), transaction, nowUs, context.clock.dayOf(nowUs));
  }
}

async function write(
  changes: readonly DecidedChange[],
  stamped: readonly Asset[],
  transaction: LedgerTransaction,
  nowUs: number,
  day: string,
): Promise<void> {
  const created = stamped.filter((_, i) => changes[i]?.current === undefined);
  const changed = stamped.filter((_, i) => changes[i]?.current !== undefined);
  const revisions = changes.flatMap(({ revision }, i) =>
    revision === undefined ? [] : [{ ...revision, untilUs: (stamped[i] as Asset).modifiedUs }],
  );
  // Dated by the wall clock, because the instant may be ahead of it: receipts expire after 24 hours of real time.
  const receipts = changes.flatMap(({ pending: { operation } }) =>
    operation.receipt === undefined ? [] : [{ ...operation.receipt, createdUs: nowUs }],
  );
  const audit = changes.map(({ pending: { operation }, current, next }, i) =>
    auditOf(operation.author, current, next, stamped[i] as Asset),
  );
  const usedCodes = changes.flatMap(({ pending: { operation } }) => (operation.usesCode ? operation.ids : []));
  const stored = storedBytes(changes, day);
  await transaction.write({ created, changed, revisions, receipts, audit, usedCodes, stored });
}

async function commit(
  transaction: LedgerTransaction,
  changes: readonly DecidedChange[],
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
    rememberAttempt(changes, stamped);
    await resolveOutcome(stamped, context);
    return;
  }
  const bytes = changes.reduce((sum, one) => sum + one.bytes, 0);
  context.observer?.committed({ changes: changes.length, bytes, ...timesOf(steps, sentMs) });
}

/** The answers of the operations: their assets after the batch, changed or not. */
function answersOf(changes: readonly DecidedChange[], stamped: readonly Asset[]): Map<PendingOperation, Asset[]> {
  const answers = new Map<PendingOperation, Asset[]>();
  for (const [i, { pending, index }] of changes.entries()) {
    const answer = answers.get(pending) ?? [...(pending.found as Asset[])];
    answer[index] = stamped[i] as Asset;
    answers.set(pending, answer);
  }
  return answers;
}

function rememberAttempt(changes: readonly DecidedChange[], stamped: readonly Asset[]): void {
  for (const [pending, answer] of answersOf(changes, stamped)) {
    const written = stamped.filter((_, i) => changes[i]?.pending === pending);
    pending.attempt = { answer, instants: new Map(written.map(({ id, modifiedUs }) => [id, modifiedUs])) };
  }
}

function timesOf({ begunMs, clockRequestedMs, clockLockedMs }: Steps, sentMs: number) {
  const endMs = performance.now();
  return {
    totalMs: endMs - begunMs,
    clockWaitMs: clockLockedMs - clockRequestedMs,
    clockHeldMs: endMs - clockLockedMs,
    commitMs: endMs - sentMs,
  };
}
