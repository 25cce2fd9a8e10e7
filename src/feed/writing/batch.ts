import type { Asset } from '../../database/entities/asset.entity.js';
import { decideAll, decideMore, type Decided, type Drafted } from './decide.js';
import type { BatchTimes, LedgerObserver } from './ledger-observer.js';
import { type LedgerStore, type LedgerTransaction, OutcomeUnknownError } from './ledger-store.js';
import { resolveOutcome } from './outcome.js';
import type { PendingOperation } from './pending-operation.js';
import type { Timing } from './timing.js';
import { auditOf, stamp } from './written-rows.js';

/** What a batch works with. */
export interface BatchContext {
  store: LedgerStore;
  timing: Timing;
  /** Called with the last instant of a batch after its commit, before any of its requests is answered. */
  committed(lastUs: number): void;
  /** Resolves when everything up to an instant is durable. @throws ApiError 503 */
  untilDurable(us: number): Promise<void>;
  observer: LedgerObserver;
  /** The instant that the wall clock proposes to the feed's clock, in microseconds. */
  candidateUs(): number;
  /** The time, in microseconds. The feed's clock may be ahead of it. */
  timeUs(): number;
  /** Whether the time is believed: while it is not, nothing is written. */
  mayWrite(): boolean;
  /** The local day under which an asset created at an instant is numbered, `2017-08-16`: the instant's, or today where it is far ahead. */
  dayOf(us: number): string;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

/** A change that has its instant. */
interface Dated extends Drafted {
  us: number;
}

/** When a batch came to its steps, in milliseconds. */
type Steps = Record<'begunMs' | 'askedMs' | 'takenMs', number>;

/**
 * Runs pending operations, at most one per asset, in one transaction. Answers those that changed something after the commit only.
 * @param mostBytes about how much may be read and written at once; the first operation may take more
 * @param gather called when it has the clock: takes what has come while it waited, to be a part of it
 * @returns those that did not fit, untouched and in their order
 * @throws RetryableError, DatabaseAwayError or the driver's error; then nothing was kept, and what was not refused is still pending
 */
export async function runBatch(
  batch: readonly PendingOperation[],
  context: BatchContext,
  mostBytes: number,
  gather: () => PendingOperation[],
): Promise<PendingOperation[]> {
  const steps = { begunMs: performance.now(), askedMs: NaN, takenMs: NaN };
  const transaction = await context.store.begin();
  let stamped: Asset[];
  let drafted: Dated[];
  let later: PendingOperation[];
  try {
    const first = await decideAll(batch, transaction, context, mostBytes);
    ({ drafted, later } = await dateAll(first, transaction, context, mostBytes, gather, steps));
    if (drafted.length === 0) {
      await transaction.rollback();
      return later;
    }
    stamped = await stampAll(drafted, transaction, context);
    await write(drafted, stamped, transaction, context.timeUs());
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await commit(transaction, drafted, stamped, context, steps);
  context.committed((stamped.at(-1) as Asset).modifiedUs);
  drafted.forEach(({ pending }, i) => pending.resolve(stamped[i] as Asset));
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
  mostBytes: number,
  gather: () => PendingOperation[],
  steps: Steps,
): Promise<{ drafted: Dated[]; later: PendingOperation[] }> {
  if (drafted.length === 0) return { drafted: [], later };
  steps.askedMs = performance.now();
  const dated = await takeInstants(drafted, transaction, context);
  steps.takenMs = performance.now();
  const come = later.length === 0 ? gather() : [];
  const more = come.length === 0 ? undefined : await decideMore(come, transaction, context, mostBytes - bytes);
  if (more !== undefined && more.drafted.length > 0)
    dated.push(...(await takeInstants(more.drafted, transaction, context)));
  // Who was told meanwhile that it took too long is not in the batch.
  return { drafted: dated.filter(({ pending }) => !pending.settled), later: [...later, ...(more?.later ?? [])] };
}

async function takeInstants(
  drafted: readonly Drafted[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Dated[]> {
  const lastUs = await transaction.advanceClock(context.candidateUs(), drafted.length);
  const firstUs = lastUs - drafted.length + 1;
  return drafted.map((one, i) => ({ ...one, us: firstUs + i }));
}

async function stampAll(
  drafted: readonly Dated[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Asset[]> {
  const assetIds = await numberNewAssets(drafted, transaction, context);
  return drafted.map(({ current, draft, us }, i) =>
    stamp(draft, current, us, current?.assetId ?? (assetIds.get(i) as string)),
  );
}

/** The assetIDs of the new assets, by their place in the batch. A batch may run over midnight. */
async function numberNewAssets(
  drafted: readonly Dated[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Map<number, string>> {
  const placesByDay = new Map<string, number[]>();
  drafted.forEach(({ current, us }, i) => {
    if (current !== undefined) return;
    const day = context.dayOf(us);
    placesByDay.set(day, [...(placesByDay.get(day) ?? []), i]);
  });
  const assetIds = new Map<number, string>();
  for (const [day, places] of placesByDay) {
    const last = await transaction.takeNumbers(day, places.length);
    places.forEach((place, i) => assetIds.set(place, context.assetIdOf(day, last - places.length + 1 + i)));
  }
  return assetIds;
}

async function write(
  drafted: readonly Drafted[],
  stamped: readonly Asset[],
  transaction: LedgerTransaction,
  nowUs: number,
): Promise<void> {
  const created = stamped.filter((_, i) => drafted[i]?.current === undefined);
  const changed = stamped.filter((_, i) => drafted[i]?.current !== undefined);
  if (created.length > 0) await transaction.insertAssets(created);
  if (changed.length > 0) await transaction.changeAssets(changed);
  const revisions = drafted.flatMap(({ ended }, i) =>
    ended === undefined ? [] : [{ ...ended, untilUs: (stamped[i] as Asset).modifiedUs }],
  );
  if (revisions.length > 0) await transaction.insertRevisions(revisions);
  // Dated by the time and not by the instant, which may be ahead of it: they are kept for 24 hours of real time.
  const receipts = drafted.flatMap(({ pending: { operation } }) =>
    operation.receipt === undefined ? [] : [{ ...operation.receipt, createdUs: nowUs }],
  );
  if (receipts.length > 0) await transaction.insertReceipts(receipts);
  await transaction.insertAudit(
    drafted.map(({ pending: { operation }, current, draft }, i) =>
      auditOf(operation.author, current, draft, stamped[i] as Asset),
    ),
  );
}

async function commit(
  transaction: LedgerTransaction,
  drafted: readonly Drafted[],
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
    context.observer.outcomeUnknown();
    drafted.forEach(({ pending }, i) => (pending.attemptedUs = stamped[i]?.modifiedUs));
    await resolveOutcome(stamped, context);
    return;
  }
  context.observer.committed(timesOf(drafted.length, steps, sentMs));
}

function timesOf(changes: number, { begunMs, askedMs, takenMs }: Steps, sentMs: number): BatchTimes {
  const overMs = performance.now();
  return {
    changes,
    totalMs: overMs - begunMs,
    clockWaitMs: takenMs - askedMs,
    clockHeldMs: overMs - takenMs,
    commitMs: overMs - sentMs,
  };
}
