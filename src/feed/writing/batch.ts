import type { Asset } from '../../database/entities/asset.entity.js';
import { decideAll, type Drafted } from './decide.js';
import type { BatchTimes, LedgerObserver } from './ledger-observer.js';
import {
  DatabaseAwayError,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from './ledger-store.js';
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

/** When a batch came to its steps, in milliseconds. */
type Steps = Record<'begunMs' | 'askedMs' | 'takenMs', number>;

const RESOLVE_ATTEMPTS = 20;
const RESOLVE_PAUSE_MS = 250;

/**
 * Runs pending operations, at most one per asset, in one transaction. Answers those that changed something after the commit only.
 * @param mostBytes about how much may be read and written at once; the first operation may take more
 * @returns those that did not fit, untouched and in their order
 * @throws RetryableError, DatabaseAwayError or the driver's error; then nothing was kept, and what was not refused is still pending
 */
export async function runBatch(
  batch: readonly PendingOperation[],
  context: BatchContext,
  mostBytes: number,
): Promise<PendingOperation[]> {
  const steps = { begunMs: performance.now(), askedMs: NaN, takenMs: NaN };
  const transaction = await context.store.begin();
  let stamped: Asset[];
  let drafted: Drafted[];
  let later: PendingOperation[];
  try {
    ({ drafted, later } = await decideAll(batch, transaction, context, mostBytes));
    if (drafted.length === 0) {
      await transaction.rollback();
      return later;
    }
    stamped = await stampAll(drafted, transaction, context, steps);
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

/** Advances the feed's clock, then takes the numbers. From here to the commit every other writer waits: nothing slow belongs here. */
async function stampAll(
  drafted: readonly Drafted[],
  transaction: LedgerTransaction,
  context: BatchContext,
  steps: Steps,
): Promise<Asset[]> {
  steps.askedMs = performance.now();
  const lastUs = await transaction.advanceClock(context.candidateUs(), drafted.length);
  steps.takenMs = performance.now();
  const firstUs = lastUs - drafted.length + 1;
  const assetIds = await numberNewAssets(drafted, firstUs, transaction, context);
  return drafted.map(({ current, draft }, i) =>
    stamp(draft, current, firstUs + i, current?.assetId ?? (assetIds.get(i) as string)),
  );
}

/** The assetIDs of the new assets, by their place in the batch. A batch may run over midnight. */
async function numberNewAssets(
  drafted: readonly Drafted[],
  firstUs: number,
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Map<number, string>> {
  const placesByDay = new Map<string, number[]>();
  drafted.forEach(({ current }, i) => {
    if (current !== undefined) return;
    const day = context.dayOf(firstUs + i);
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

/**
 * Finds out whether a batch whose COMMIT got no answer was kept.
 * @throws RetryableError when it was not, DatabaseAwayError when it cannot be known
 */
async function resolveOutcome(stamped: readonly Asset[], context: BatchContext): Promise<void> {
  const rows = await readSettledPatiently(stamped, context);
  if (stamped.some(({ id, modifiedUs }) => rows.get(id)?.modifiedUs === modifiedUs)) return;
  // A batch is kept whole or not at all: one asset that lacks its change proves that it was rolled back.
  if (stamped.some(({ id, version }) => (rows.get(id)?.version ?? 0) < version)) {
    throw new RetryableError('The commit was not kept');
  }
  // Others have changed every asset of the batch since, so the rows prove nothing.
  throw new DatabaseAwayError('The outcome of a commit cannot be known');
}

async function readSettledPatiently(
  stamped: readonly Asset[],
  { store, timing }: BatchContext,
): Promise<Map<string, Asset>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readSettled(stamped, store);
    } catch (error) {
      if (attempt === RESOLVE_ATTEMPTS) throw error;
      await timing.sleep(RESOLVE_PAUSE_MS);
    }
  }
}

/** Reads the batch's rows under the lock of the feed's clock. The lost transaction held that lock, so having it proves that it is over. */
async function readSettled(stamped: readonly Asset[], store: LedgerStore): Promise<Map<string, Asset>> {
  const transaction = await store.begin();
  try {
    await transaction.lockClock();
    return await transaction.lockAssets(stamped.map(({ id }) => id).toSorted());
  } finally {
    await transaction.rollback();
  }
}
