import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { LedgerTransaction } from './ledger-store.js';
import type { DraftedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';
import { revisionOf } from './written-rows.js';
import type { Timing } from './timing.js';

/** How long the receipt of a creation counts: 24 hours. */
export const RECEIPT_LIFE_US = 24 * 3_600 * 1_000_000;
/** After this many bytes of bodies the event loop is given back once: a megabyte takes about 20 ms. */
const TURN_BYTES = 256 * 1024;
/** What may be read and written more when a batch has the clock: it takes milliseconds. */
const MOST_BYTES_MORE = TURN_BYTES;

/** An operation that changes something. */
export interface Drafted {
  pending: PendingOperation;
  current: Asset | undefined;
  draft: DraftedAsset;
  /** The state that the change ends, to be kept as a revision; undefined for a creation. */
  ended: Omit<Revision, 'untilUs'> | undefined;
}

/** One that has its instant. */
export interface Dated extends Drafted {
  us: number;
}

/** What is to be written of a batch, and what did not fit into it. */
export interface Decided {
  drafted: Drafted[];
  later: PendingOperation[];
  /** About how many are read and written. */
  bytes: number;
}

/** What is kept beside the assets of a batch. */
interface Kept {
  receipts: Map<string, Receipt>;
  codes: Map<string, TransferCode>;
}

interface DecidingContext {
  timing: Pick<Timing, 'turn'>;
  timeUs(): number;
}

/**
 * Locks the rows of a batch and decides its operations in their order. Those that are refused, or change nothing, are answered here.
 * @param mostBytes about how much may be read and written at once; the first operation may take more
 */
export async function decideAll(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  context: DecidingContext,
  mostBytes: number,
): Promise<Decided> {
  // Every transaction locks rows in the order of their ids, so no two can wait for each other.
  const rows = await lockRows(batch, (ids) => transaction.lockAssets(ids));
  const receipts = await lockReceipts(batch, transaction, context.timeUs() - RECEIPT_LIFE_US);
  const codes = await lockCodes(batch, transaction);
  return decideOn(rows, { receipts, codes }, batch, context, (bytes, cost) => bytes === 0 || bytes + cost <= mostBytes);
}

/**
 * The same for what joins a batch that has the clock. As others wait for it, nothing large is taken; and as one of them may hold an asset,
 * nothing is waited for.
 */
export async function decideMore(
  more: readonly PendingOperation[],
  transaction: LedgerTransaction,
  context: DecidingContext,
  mostBytes: number,
): Promise<Decided> {
  const rows = await lockRows(more, (ids) => transaction.lockFreeAssets(ids));
  const ready = more.filter(
    (pending) => !needsKept(pending) && (!mayBeThere(pending) || rows.has(pending.operation.id)),
  );
  const most = Math.min(mostBytes, MOST_BYTES_MORE);
  const decided = await decideOn(
    rows,
    { receipts: new Map(), codes: new Map() },
    ready,
    context,
    (bytes, cost) => bytes + cost <= most,
  );
  const later = new Set([...more.filter((pending) => !ready.includes(pending)), ...decided.later]);
  return { ...decided, later: more.filter((pending) => later.has(pending)) };
}

/** A receipt may be held by one of the others as well, and cannot be passed over; a code is too rare to be looked for. */
function needsKept({ operation }: PendingOperation): boolean {
  return operation.receipt !== undefined || operation.usesCode === true;
}

function mayBeThere({ operation, attemptedUs }: PendingOperation): boolean {
  return !operation.creates || operation.mayExist === true || attemptedUs !== undefined;
}

async function lockRows(
  batch: readonly PendingOperation[],
  lock: (ids: readonly string[]) => Promise<Map<string, Asset>>,
): Promise<Map<string, Asset>> {
  const ids = batch.filter(mayBeThere).map(({ operation }) => operation.id);
  return ids.length === 0 ? new Map<string, Asset>() : lock(ids.toSorted());
}

async function decideOn(
  rows: Map<string, Asset>,
  { receipts, codes }: Kept,
  batch: readonly PendingOperation[],
  { timing }: DecidingContext,
  fits: (bytes: number, cost: number) => boolean,
): Promise<Decided> {
  const decided: Decided = { drafted: [], later: [], bytes: 0 };
  let inThisTurn = 0;
  for (const pending of batch) {
    const { id, receipt } = pending.operation;
    const current = rows.get(id);
    pending.cost = costOf(pending, current);
    if (!fits(decided.bytes, pending.cost)) {
      decided.later.push(pending);
      continue;
    }
    const one = decideOne(pending, current, receipts.get(receipt?.id ?? ''), codes.get(id));
    if (one !== undefined) decided.drafted.push(one);
    decided.bytes += pending.cost;
    inThisTurn += pending.cost;
    if (inThisTurn < TURN_BYTES) continue;
    inThisTurn = 0;
    await timing.turn();
  }
  return decided;
}

/**
 * About how many bytes are read and written: for a change the old body (the revision is a part of it) and the new one. Counts characters,
 * because counting the bytes of a megabyte takes milliseconds.
 */
function costOf({ operation }: PendingOperation, current: Asset | undefined): number {
  return operation.bytes + (current === undefined ? 0 : 2 * current.body.length);
}

/** Answers the operation where there is nothing to write. */
function decideOne(
  pending: PendingOperation,
  current: Asset | undefined,
  receipt: Receipt | undefined,
  code: TransferCode | undefined,
): Drafted | undefined {
  // An earlier attempt without an answer to its COMMIT was kept after all (on a cluster its node may have been late).
  if (current !== undefined && current.modifiedUs === pending.attemptedUs) {
    pending.resolve(current);
    return undefined;
  }
  try {
    const draft = pending.operation.decide(current, receipt, code);
    if (draft !== undefined) return { pending, current, draft, ended: current && revisionOf(current, draft) };
    pending.resolve(current as Asset);
  } catch (refusal) {
    pending.reject(refusal);
  }
  return undefined;
}

/** The receipts of the batch that still count. Expired ones are deleted, so that new ones can take their ids. */
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

/** The transfer codes of those assets that shall be taken over. */
async function lockCodes(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
): Promise<Map<string, TransferCode>> {
  const ids = batch.filter(({ operation }) => operation.usesCode === true).map(({ operation }) => operation.id);
  return ids.length === 0 ? new Map() : transaction.lockCodes(ids.toSorted());
}
