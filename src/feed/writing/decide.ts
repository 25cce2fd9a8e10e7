import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { LedgerClock } from '../watermarks.js';
import type { DecidedChange } from './decided-change.js';
import type { LedgerTransaction } from './ledger-store.js';
import { lockSorted, lockOrSkip, mayExist } from './lock-assets.js';
import type { DecisionContext, DecidedAsset, Operation } from './operation.js';
import type { PendingOperation } from './pending-operation.js';
import { revisionOf, writtenBytes } from './written-rows.js';

export const RECEIPT_TTL_US = 24 * 3_600 * 1_000_000;
/** Approximate maximum of bytes that joining operations read and write while the batch locks the clock: some milliseconds. */
const MAX_JOINING_BYTES = 256 * 1024;

export interface Decided {
  changes: DecidedChange[];
  /** Operations for a later batch. */
  later: PendingOperation[];
  /** Approximate bytes to read and write. */
  bytes: number;
}

interface StoredRecords {
  receipts: Map<string, Receipt>;
  codes: Map<string, TransferCode>;
}

export interface DecisionLimits {
  /** Approximate maximum of bytes to read and write; the first operation may exceed it. */
  maxBytes: number;
  /** Whether to wait for locked rows that were free at an earlier attempt. */
  mayWait: boolean;
}

/** Locks the rows of a batch and decides its operations in order. Answers those that are refused or change nothing. */
export async function decideAll(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  clock: Pick<LedgerClock, 'timeUs'>,
  { maxBytes, mayWait }: DecisionLimits,
): Promise<Decided> {
  const { rows, lockedElsewhere } = await lockOrSkip(batch, transaction, mayWait);
  const blocked = new Set(batch.filter(({ operation }) => operation.ids.some((id) => lockedElsewhere.has(id))));
  for (const pending of blocked) pending.backOff(lockedElsewhere);
  const ready = batch.filter((pending) => !blocked.has(pending));
  const receipts = await lockReceipts(ready, transaction, clock.timeUs() - RECEIPT_TTL_US);
  const codes = await lockCodes(ready, transaction);
  const fits = (bytes: number, cost: number): boolean => bytes === 0 || bytes + cost <= maxBytes;
  const decided = decideOn(rows, { receipts, codes }, ready, fits);
  const later = new Set(decided.later);
  return { ...decided, later: batch.filter((pending) => blocked.has(pending) || later.has(pending)) };
}

/**
 * Decides operations that join a batch which has locked the clock. All other writers wait for the clock, so it accepts nothing large; and one
 * of them may have locked an asset, so it never waits for rows. Operations on several assets, rarely all free, wait for the next batch.
 */
export async function decideJoining(
  arrived: readonly PendingOperation[],
  transaction: LedgerTransaction,
  maxBytes: number,
): Promise<Decided> {
  const joining = arrived.filter((pending) => !needsRecord(pending) && pending.operation.ids.length === 1);
  const wanted = joining.filter(mayExist).flatMap(({ operation }) => operation.ids);
  const rows = await lockSorted(wanted, (ids) => transaction.lockFreeAssets(ids));
  const ready = joining.filter((pending) => !mayExist(pending) || pending.operation.ids.every((id) => rows.has(id)));
  const joiningBytes = Math.min(maxBytes, MAX_JOINING_BYTES);
  const fits = (bytes: number, cost: number): boolean => bytes + cost <= joiningBytes;
  const decided = decideOn(rows, { receipts: new Map(), codes: new Map() }, ready, fits);
  const later = new Set([...arrived.filter((pending) => !ready.includes(pending)), ...decided.later]);
  return { ...decided, later: arrived.filter((pending) => later.has(pending)) };
}

/** Whether an operation needs a receipt, which another writer may have locked and cannot be skipped, or a transfer code, which is rare. */
function needsRecord({ operation }: PendingOperation): boolean {
  return operation.receipt !== undefined || operation.usesCode === true;
}

function decideOn(
  rows: Map<string, Asset>,
  { receipts, codes }: StoredRecords,
  batch: readonly PendingOperation[],
  fits: (bytes: number, cost: number) => boolean,
): Decided {
  const decided: Decided = { changes: [], later: [], bytes: 0 };
  for (const pending of batch) {
    const { ids, receipt } = pending.operation;
    pending.found = ids.map((id) => rows.get(id));
    pending.cost = costOf(pending);
    if (!fits(decided.bytes, pending.cost)) {
      decided.later.push(pending);
      continue;
    }
    const stored = { receipt: receipts.get(receipt?.id ?? ''), code: codes.get(ids[0] as string) };
    decided.changes.push(...decideOne(pending, stored));
    decided.bytes += pending.cost;
  }
  return decided;
}

/**
 * Estimates the bytes read and written: for a change the old body (the revision is a part of it) and the new one. Counts characters, because
 * counting the bytes of a megabyte takes milliseconds.
 */
function costOf({ operation, found }: PendingOperation): number {
  return found.reduce((bytes, row) => bytes + costOfRow(row), operation.bytes);
}

function costOfRow(row: Asset | undefined): number {
  return row === undefined ? 0 : 2 * row.body.length;
}

/** Decides the changes of an operation, or answers it if it is refused or changes nothing. @returns all its changes, or none */
function decideOne(pending: PendingOperation, stored: Omit<DecisionContext, 'index'>): DecidedChange[] {
  const { operation, found, attempt } = pending;
  // An earlier attempt without an answer to its COMMIT was committed after all (a node of a cluster may have been late).
  if (
    attempt !== undefined &&
    found.some((row) => row !== undefined && attempt.instants.get(row.id) === row.modifiedUs)
  ) {
    pending.resolve(attempt.answer);
    return [];
  }
  try {
    const decided = decideAssets(operation, found, stored);
    const changes = decided.flatMap((next, index) => {
      const current = found[index];
      if (next === undefined) return [];
      const revision = current && revisionOf(current, next);
      return [{ pending, index, current, next, revision, bytes: writtenBytes(next, revision) }];
    });
    if (changes.length === 0) pending.resolve(found as Asset[]);
    return changes;
  } catch (refusal) {
    pending.reject(refusal);
    return [];
  }
}

/**
 * Runs an operation's decisions on its assets.
 * @param found the current assets, in the order of its ids
 * @returns each asset after the change, or undefined if it does not change
 * @throws ApiError if the operation is refused
 */
export function decideAssets(
  operation: Operation,
  found: readonly (Asset | undefined)[],
  stored: Omit<DecisionContext, 'index'>,
): (DecidedAsset | undefined)[] {
  const refusals = new Map<number, ApiError>();
  const decided: (DecidedAsset | undefined)[] = [];
  for (const [index, current] of found.entries()) {
    try {
      decided[index] = operation.decide(current, { ...stored, index });
    } catch (error) {
      if (operation.refuse === undefined || !(error instanceof ApiError)) throw error;
      refusals.set(index, error);
    }
  }
  if (operation.refuse !== undefined && refusals.size > 0) throw operation.refuse(refusals);
  return decided;
}

/** Locks the unexpired receipts of the batch. Deletes expired ones, so that new ones can use their ids. */
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

/** Locks the transfer codes of the operations that use one. */
async function lockCodes(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
): Promise<Map<string, TransferCode>> {
  const ids = batch.filter(({ operation }) => operation.usesCode === true).flatMap(({ operation }) => operation.ids);
  return ids.length === 0 ? new Map() : transaction.lockCodes(ids.toSorted());
}
