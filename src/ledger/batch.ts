import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import type { Revision } from '../database/entities/revision.entity.js';
import { auditOf } from './audit.js';
import {
  DatabaseAwayError,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from './ledger-store.js';
import type { DraftedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';
import { revisionOf } from './revision.js';
import { stamp } from './stamp.js';
import type { Timing } from './timing.js';

/** What a batch needs beside the database. */
export interface BatchContext {
  store: LedgerStore;
  timing: Timing;
  /** Told the highest instant of a batch once it is committed, before anybody is answered. */
  committed(lastUs: number): void;
  /** Told before a batch that kept nothing is tried again. */
  retrying(): void;
  /** The instant to ask the clock for, in microseconds. */
  candidateUs(): number;
  /** What time it is, in microseconds; the instants may be ahead of it. */
  timeUs(): number;
  /** Whether that is believed. */
  mayWrite(): boolean;
  /** The local day in which the asset of an instant is numbered, `2017-08-16`: of the instant, or where it is far ahead of the time, today. */
  dayOf(us: number): string;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

interface Drafted {
  pending: PendingOperation;
  current: Asset | undefined;
  draft: DraftedAsset;
  /** What the change ends; undefined for a creation. */
  ended: Omit<Revision, 'untilUs'> | undefined;
}

/** For how long the same request is answered as before: 24 hours. */
export const RECEIPT_LIFE_US = 24 * 3_600 * 1_000_000;
const RESOLVE_ATTEMPTS = 20;
const RESOLVE_PAUSE_MS = 250;

/**
 * Runs pending operations, at most one per asset, in one transaction and settles them: the changed ones after the commit only.
 * @throws RetryableError, DatabaseAwayError or the driver's error; then nothing was kept and what was not refused is still pending
 */
export async function runBatch(batch: readonly PendingOperation[], context: BatchContext): Promise<void> {
  const transaction = await context.store.begin();
  let stamped: Asset[];
  let drafted: Drafted[];
  try {
    drafted = await decideAll(batch, transaction, context);
    if (drafted.length === 0) {
      await transaction.rollback();
      return;
    }
    stamped = await stampAll(drafted, transaction, context);
    await write(drafted, stamped, transaction, context.timeUs());
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await commit(transaction, drafted, stamped, context);
  context.committed((stamped.at(-1) as Asset).modifiedUs);
  drafted.forEach(({ pending }, i) => pending.resolve(stamped[i] as Asset));
}

async function decideAll(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Drafted[]> {
  // In the order of their ids, as every transaction locks them: so no two can wait for each other.
  const mayExist = batch.filter(({ operation, attemptedUs }) => !operation.creates || attemptedUs !== undefined);
  const ids = mayExist.map(({ operation }) => operation.id);
  const rows = ids.length === 0 ? new Map<string, Asset>() : await transaction.lockAssets(ids.toSorted());
  const receipts = await lockReceipts(batch, transaction, context.timeUs() - RECEIPT_LIFE_US);
  const drafted: Drafted[] = [];
  for (const pending of batch) {
    const { id, receipt } = pending.operation;
    const current = rows.get(id);
    // Kept after all: on a cluster the other node may have been late. Once more would be twice.
    if (current !== undefined && current.modifiedUs === pending.attemptedUs) {
      pending.resolve(current);
      continue;
    }
    try {
      const draft = pending.operation.decide(current, receipts.get(receipt?.id ?? ''));
      if (draft === undefined) pending.resolve(current as Asset);
      else drafted.push({ pending, current, draft, ended: current && revisionOf(current, draft) });
    } catch (refusal) {
      pending.reject(refusal);
    }
  }
  return drafted;
}

/** The receipts that count; those whose time is over make room. */
async function lockReceipts(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  oldestUs: number,
): Promise<Map<string, Receipt>> {
  const ids = batch.flatMap(({ operation: { receipt } }) => (receipt === undefined ? [] : [receipt.id]));
  if (ids.length === 0) return new Map();
  const receipts = await transaction.lockReceipts(ids.toSorted());
  const old = [...receipts.values()].filter(({ createdUs }) => createdUs < oldestUs).map(({ id }) => id);
  if (old.length > 0) await transaction.deleteReceipts(old);
  for (const id of old) receipts.delete(id);
  return receipts;
}

/** Takes the clock, then the numbers. From here to the commit every other writer waits, so nothing slow may stand here. */
async function stampAll(
  drafted: readonly Drafted[],
  transaction: LedgerTransaction,
  context: BatchContext,
): Promise<Asset[]> {
  const lastUs = await transaction.advanceClock(context.candidateUs(), drafted.length);
  const firstUs = lastUs - drafted.length + 1;
  const assetIds = await numberNewAssets(drafted, firstUs, transaction, context);
  return drafted.map(({ current, draft }, i) =>
    stamp(draft, current, firstUs + i, current?.assetId ?? (assetIds.get(i) as string)),
  );
}

/** The assetIDs of the new assets by their place in the batch; a batch may reach over midnight. */
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
  // For as long as the contract says, which no instant does that is ahead of the time.
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
): Promise<void> {
  try {
    await transaction.commit();
  } catch (error) {
    await transaction.rollback();
    if (!(error instanceof OutcomeUnknownError)) throw error;
    drafted.forEach(({ pending }, i) => (pending.attemptedUs = stamped[i]?.modifiedUs));
    await resolveOutcome(stamped, context);
  }
}

/**
 * Finds out whether a batch whose COMMIT got no answer was kept.
 * @throws RetryableError when it was not, DatabaseAwayError when it cannot be known
 */
async function resolveOutcome(stamped: readonly Asset[], context: BatchContext): Promise<void> {
  const rows = await readSettledPatiently(stamped, context);
  if (stamped.some(({ id, modifiedUs }) => rows.get(id)?.modifiedUs === modifiedUs)) return;
  // A batch is kept whole or not at all, so one asset that is older than it proves the second.
  if (stamped.some(({ id, version }) => (rows.get(id)?.version ?? 0) < version)) {
    throw new RetryableError('The commit was not kept');
  }
  // Others have changed every asset of the batch since, so its rows prove nothing any more.
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

/** Reads the batch's rows under the clock's lock: having it proves that the old transaction, which held it, is over. */
async function readSettled(stamped: readonly Asset[], store: LedgerStore): Promise<Map<string, Asset>> {
  const transaction = await store.begin();
  try {
    await transaction.lockClock();
    return await transaction.lockAssets(stamped.map(({ id }) => id).toSorted());
  } finally {
    await transaction.rollback();
  }
}
