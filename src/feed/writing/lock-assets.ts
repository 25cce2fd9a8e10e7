import type { LedgerTransaction } from './ledger-store.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { PendingOperation } from './pending-operation.js';

/** The rows that a transaction has locked, and the ids of those that are there and another transaction holds. */
interface LockedRows {
  rows: Map<string, Asset>;
  held: ReadonlySet<string>;
}

/**
 * Locks the rows of operations, and skips those that another transaction holds: all others of the batch would wait for them as well. It
 * waits for a row that was free at the operation's last attempt, because its holder needs it for the time of a batch; and for one that an
 * earlier attempt may have made, because nobody else asks for it.
 * @param mayWait whether it waits for rows at all, but for those that an attempt may have made
 */
export async function lockOrSkip(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  mayWait: boolean,
): Promise<LockedRows> {
  const waitedFor: string[] = [];
  const others: string[] = [];
  for (const { operation, wasFree } of batch.filter(mayBeThere))
    for (const id of operation.ids) (operation.creates || (mayWait && wasFree.has(id)) ? waitedFor : others).push(id);
  // Every transaction waits for rows in the order of their ids, and before it has others: no two can wait for each other.
  const rows = await lockSorted(waitedFor, (ids) => transaction.lockAssets(ids));
  for (const [id, row] of await lockSorted(others, (ids) => transaction.lockFreeAssets(ids))) rows.set(id, row);
  const missing = others.filter((id) => !rows.has(id));
  return { rows, held: new Set(missing.length === 0 ? [] : await transaction.findAssets(missing)) };
}

/** Locks rows in the order of their ids. */
export async function lockSorted(
  ids: readonly string[],
  lock: (ids: readonly string[]) => Promise<Map<string, Asset>>,
): Promise<Map<string, Asset>> {
  return ids.length === 0 ? new Map<string, Asset>() : lock(ids.toSorted());
}

/** Whether an operation may have rows: it changes them, or an earlier attempt may have made them. */
export function mayBeThere({ operation, attempt }: PendingOperation): boolean {
  return !operation.creates || attempt !== undefined;
}
