import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { LedgerTransaction } from './ledger-store.js';
import type { DraftedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';
import { revisionOf } from './revision.js';
import type { Timing } from './timing.js';

/** For how long the same request is answered as before: 24 hours. */
export const RECEIPT_LIFE_US = 24 * 3_600 * 1_000_000;
/** Who else waits has its turn when the bodies of so many bytes were worked on: a megabyte takes some 20 ms. */
const TURN_BYTES = 256 * 1024;

/** An operation that there is something to write of. */
export interface Drafted {
  pending: PendingOperation;
  current: Asset | undefined;
  draft: DraftedAsset;
  /** What the change ends; undefined for a creation. */
  ended: Omit<Revision, 'untilUs'> | undefined;
}

/** What of a batch was decided, and what was too much. */
export interface Decided {
  drafted: Drafted[];
  later: PendingOperation[];
}

interface DecidingContext {
  timing: Pick<Timing, 'turn'>;
  timeUs(): number;
}

/**
 * Locks what a batch is about and decides its operations in their order; those that are refused, or change nothing, are settled.
 * @param mostBytes about what may be read and written at once; the first operation may take more
 */
export async function decideAll(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  context: DecidingContext,
  mostBytes: number,
): Promise<Decided> {
  // In the order of their ids, as every transaction locks them: so no two can wait for each other.
  const mayExist = batch.filter(({ operation, attemptedUs }) => !operation.creates || attemptedUs !== undefined);
  const ids = mayExist.map(({ operation }) => operation.id);
  const rows = ids.length === 0 ? new Map<string, Asset>() : await transaction.lockAssets(ids.toSorted());
  const receipts = await lockReceipts(batch, transaction, context.timeUs() - RECEIPT_LIFE_US);
  const drafted: Drafted[] = [];
  const later: PendingOperation[] = [];
  let [bytes, inThisTurn] = [0, 0];
  for (const pending of batch) {
    const { id, receipt } = pending.operation;
    const current = rows.get(id);
    pending.cost = costOf(pending, current);
    if (bytes > 0 && bytes + pending.cost > mostBytes) {
      later.push(pending);
      continue;
    }
    const one = decideOne(pending, current, receipts.get(receipt?.id ?? ''));
    if (one !== undefined) drafted.push(one);
    bytes += pending.cost;
    inThisTurn += pending.cost;
    if (inThisTurn < TURN_BYTES) continue;
    inThisTurn = 0;
    await context.timing.turn();
  }
  return { drafted, later };
}

/**
 * About the bytes that are read and written: of a change the body as it was and as it is; what is kept of the former is a part of it. Characters
 * are counted, as to count the bytes of a megabyte takes milliseconds.
 */
function costOf({ operation }: PendingOperation, current: Asset | undefined): number {
  return operation.bytes + (current === undefined ? 0 : 2 * current.body.length);
}

/** Settles it where there is nothing to write. */
function decideOne(
  pending: PendingOperation,
  current: Asset | undefined,
  receipt: Receipt | undefined,
): Drafted | undefined {
  // Kept after all: on a cluster the other node may have been late. To do it once more would do it twice.
  if (current !== undefined && current.modifiedUs === pending.attemptedUs) {
    pending.resolve(current);
    return undefined;
  }
  try {
    const draft = pending.operation.decide(current, receipt);
    if (draft !== undefined) return { pending, current, draft, ended: current && revisionOf(current, draft) };
    pending.resolve(current as Asset);
  } catch (refusal) {
    pending.reject(refusal);
  }
  return undefined;
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
