import type { LedgerTransaction } from './ledger-store.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { PendingOperation } from './pending-operation.js';

/** The rows that a transaction has locked, and the ids of existing assets that another transaction has locked. */
interface LockedRows {
  rows: Map<string, Asset>;
  lockedElsewhere: ReadonlySet<string>;
}

/**
 * Locks the rows of operations, and skips those locked by other transactions, so that the rest of the batch need not wait. It does wait for a
 * row that was free at the operation's last attempt, because such a lock lasts only for a batch; and for a row that an earlier attempt may
 * have created, because no other client knows its id.
 * @param mayWait false to wait only for rows that an attempt may have created
 */
export async function lockOrSkip(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  mayWait: boolean,
): Promise<LockedRows> {
  const waitedFor: string[] = [];
  const others: string[] = [];
  for (const { operation, wasFree } of batch.filter(mayExist))
    for (const id of operation.ids) (operation.creates || (mayWait && wasFree.has(id)) ? waitedFor : others).push(id);
  // No deadlock: every transaction waits for rows in the order of their ids, and before it locks others without waiting.
  const rows = await lockSorted(waitedFor, (ids) => transaction.lockAssets(ids));
  for (const [id, row] of await lockSorted(others, (ids) => transaction.lockFreeAssets(ids))) rows.set(id, row);
  const missing = others.filter((id) => !rows.has(id));
  return { rows, lockedElsewhere: new Set(missing.length === 0 ? [] : await transaction.findAssets(missing)) };
}

/** Locks rows in the order of their ids. */
export async function lockSorted(
  ids: readonly string[],
  lock: (ids: readonly string[]) => Promise<Map<string, Asset>>,
): Promise<Map<string, Asset>> {
  return ids.length === 0 ? new Map<string, Asset>() : lock(ids.toSorted());
}

/** Whether rows may exist: the operation changes them, or an earlier attempt may have created them. */
export function mayExist({ operation, attempt }: PendingOperation): boolean {
  return !operation.creates || attempt !== undefined;
}
