import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { LedgerClock } from '../watermarks.js';
import type { DraftedChange } from './drafted-change.js';
import type { LedgerTransaction } from './ledger-store.js';
import { lockSorted, lockOrSkip, mayBeThere } from './lock-assets.js';
import type { DecisionContext, DraftedAsset, Operation } from './operation.js';
import type { PendingOperation } from './pending-operation.js';
import { revisionOf, writtenBytes } from './written-rows.js';

/** How long a receipt counts: 24 hours. */
export const RECEIPT_LIFE_US = 24 * 3_600 * 1_000_000;
/** About how much, in bytes, may be read and written more when a batch has the clock: it takes milliseconds. */
const MAX_BYTES_MORE = 256 * 1024;

/** What is to be written of a batch, and what did not fit into it. */
export interface Decided {
  drafted: DraftedChange[];
  later: PendingOperation[];
  /** About how many are read and written. */
  bytes: number;
}

interface Kept {
  receipts: Map<string, Receipt>;
  codes: Map<string, TransferCode>;
}

export interface DecidingTerms {
  /** About how much may be read and written at once; the first operation may take more. */
  mostBytes: number;
  /** Whether rows are waited for that were free at an earlier attempt. */
  mayWait: boolean;
}

/**
 * Locks the rows of a batch and decides its operations in their order. Those that are refused, or change nothing, are answered here.
 */
export async function decideAll(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  clock: Pick<LedgerClock, 'timeUs'>,
  { mostBytes, mayWait }: DecidingTerms,
): Promise<Decided> {
  const { rows, held } = await lockOrSkip(batch, transaction, mayWait);
  const heldUp = new Set(batch.filter(({ operation }) => operation.ids.some((id) => held.has(id))));
  for (const pending of heldUp) pending.holdUp(held);
  const ready = batch.filter((pending) => !heldUp.has(pending));
  const receipts = await lockReceipts(ready, transaction, clock.timeUs() - RECEIPT_LIFE_US);
  const codes = await lockCodes(ready, transaction);
  const fits = (bytes: number, cost: number): boolean => bytes === 0 || bytes + cost <= mostBytes;
  const decided = decideOn(rows, { receipts, codes }, ready, fits);
  const later = new Set(decided.later);
  return { ...decided, later: batch.filter((pending) => heldUp.has(pending) || later.has(pending)) };
}

/**
 * The same for what joins a batch that has the clock. As others wait for it, nothing large is taken; and as one of them may hold an asset,
 * nothing is waited for: several assets are hardly ever all free, and wait for the next batch.
 */
export async function decideMore(
  more: readonly PendingOperation[],
  transaction: LedgerTransaction,
  mostBytes: number,
): Promise<Decided> {
  const joining = more.filter((pending) => !needsKept(pending) && pending.operation.ids.length === 1);
  const wanted = joining.filter(mayBeThere).flatMap(({ operation }) => operation.ids);
  const rows = await lockSorted(wanted, (ids) => transaction.lockFreeAssets(ids));
  const ready = joining.filter((pending) => !mayBeThere(pending) || pending.operation.ids.every((id) => rows.has(id)));
  const maxBytes = Math.min(mostBytes, MAX_BYTES_MORE);
  const fits = (bytes: number, cost: number): boolean => bytes + cost <= maxBytes;
  const decided = decideOn(rows, { receipts: new Map(), codes: new Map() }, ready, fits);
  const later = new Set([...more.filter((pending) => !ready.includes(pending)), ...decided.later]);
  return { ...decided, later: more.filter((pending) => later.has(pending)) };
}

/** A receipt may be held by one of the others as well, and cannot be passed over; a code is too rare to be looked for. */
function needsKept({ operation }: PendingOperation): boolean {
  return operation.receipt !== undefined || operation.usesCode === true;
}

function decideOn(
  rows: Map<string, Asset>,
  { receipts, codes }: Kept,
  batch: readonly PendingOperation[],
  fits: (bytes: number, cost: number) => boolean,
): Decided {
  const decided: Decided = { drafted: [], later: [], bytes: 0 };
  for (const pending of batch) {
    const { ids, receipt } = pending.operation;
    pending.found = ids.map((id) => rows.get(id));
    pending.cost = costOf(pending);
    if (!fits(decided.bytes, pending.cost)) {
      decided.later.push(pending);
      continue;
    }
    const kept = { receipt: receipts.get(receipt?.id ?? ''), code: codes.get(ids[0] as string) };
    decided.drafted.push(...decideOne(pending, kept));
    decided.bytes += pending.cost;
  }
  return decided;
}

/**
 * About how many bytes are read and written: for a change the old body (the revision is a part of it) and the new one. Counts characters,
 * because counting the bytes of a megabyte takes milliseconds.
 */
function costOf({ operation, found }: PendingOperation): number {
  return found.reduce((bytes, row) => bytes + costOfRow(row), operation.bytes);
}

function costOfRow(row: Asset | undefined): number {
  return row === undefined ? 0 : 2 * row.body.length;
}

/** Answers the operation where there is nothing to write. @returns what it makes of its assets: of all that it changes, or of none */
function decideOne(pending: PendingOperation, kept: Omit<DecisionContext, 'place'>): DraftedChange[] {
  const { operation, found, attempt } = pending;
  // An earlier attempt without an answer to its COMMIT was kept after all (on a cluster its node may have been late).
  if (
    attempt !== undefined &&
    found.some((row) => row !== undefined && attempt.instants.get(row.id) === row.modifiedUs)
  ) {
    pending.resolve(attempt.answer);
    return [];
  }
  try {
    const drafts = draftsOf(operation, found, kept);
    const drafted = drafts.flatMap((draft, place) => {
      const current = found[place];
      if (draft === undefined) return [];
      const ended = current && revisionOf(current, draft);
      return [{ pending, place, current, draft, ended, bytes: writtenBytes(draft, ended) }];
    });
    if (drafted.length === 0) pending.resolve(found as Asset[]);
    return drafted;
  } catch (refusal) {
    pending.reject(refusal);
    return [];
  }
}

/**
 * What an operation makes of its assets: each as it shall be, or undefined where nothing changes.
 * @param found the assets as they are, in the order of its ids
 * @throws ApiError what it refuses with
 */
export function draftsOf(
  operation: Operation,
  found: readonly (Asset | undefined)[],
  kept: Omit<DecisionContext, 'place'>,
): (DraftedAsset | undefined)[] {
  const refusals = new Map<number, ApiError>();
  const drafts: (DraftedAsset | undefined)[] = [];
  for (const [place, current] of found.entries()) {
    try {
      drafts[place] = operation.decide(current, { ...kept, place });
    } catch (error) {
      if (operation.refuse === undefined || !(error instanceof ApiError)) throw error;
      refusals.set(place, error);
    }
  }
  if (operation.refuse !== undefined && refusals.size > 0) throw operation.refuse(refusals);
  return drafts;
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
  const ids = batch.filter(({ operation }) => operation.usesCode === true).flatMap(({ operation }) => operation.ids);
  return ids.length === 0 ? new Map() : transaction.lockCodes(ids.toSorted());
}
