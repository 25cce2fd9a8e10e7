import type { Asset } from '../../database/entities/asset.entity.js';
import type { LedgerTransaction } from './ledger-store.js';
import type { PendingOperation } from './pending-operation.js';

/** The rows that a transaction has locked, and the ids of those that are there and another holds. */
export interface LockedRows {
  rows: Map<string, Asset>;
  held: ReadonlySet<string>;
}

/**
 * Locks the rows of operations. Nobody waits for a row that another transaction holds: it may be held for long, and all others of the batch
 * would wait as well. Waited for is a row that an earlier attempt may have made: nobody else asks for it.
 * @param mayWait whether those are waited for, too, that were held up before: they have been free since, so whoever has one now has it
 * for a moment. To find all of a group free would be luck, where another process changes them again and again
 */
export async function lockWanted(
  batch: readonly PendingOperation[],
  transaction: LedgerTransaction,
  mayWait: boolean,
): Promise<LockedRows> {
  const isWaitedFor = ({ operation, wasHeldUp }: PendingOperation): boolean =>
    operation.creates || (mayWait && wasHeldUp);
  // Every transaction waits for rows in the order of their ids, and before it has others: no two can wait for each other.
  const rows = await lockRows(batch.filter(isWaitedFor), (ids) => transaction.lockAssets(ids));
  const others = batch.filter((pending) => !isWaitedFor(pending));
  for (const [id, row] of await lockRows(others, (ids) => transaction.lockFreeAssets(ids))) rows.set(id, row);
  const missing = others.flatMap(({ operation }) => operation.ids).filter((id) => !rows.has(id));
  return { rows, held: new Set(await heldOf(missing, transaction)) };
}

/** Which assets are still held; the others are locked, or are not there. However many they are, none is read. @param ids sorted */
export async function findHeld(ids: readonly string[], transaction: LedgerTransaction): Promise<string[]> {
  const free = new Set(await transaction.lockFreeIds(ids));
  return heldOf(
    ids.filter((id) => !free.has(id)),
    transaction,
  );
}

/** A row that could not be locked at once is held, unless there is none. */
async function heldOf(missing: readonly string[], transaction: LedgerTransaction): Promise<string[]> {
  return missing.length === 0 ? [] : transaction.findAssets(missing);
}

/** Locks the rows of operations that may have any, in the order of their ids. */
export async function lockRows(
  batch: readonly PendingOperation[],
  lock: (ids: readonly string[]) => Promise<Map<string, Asset>>,
): Promise<Map<string, Asset>> {
  const ids = batch.filter(mayBeThere).flatMap(({ operation }) => operation.ids);
  return ids.length === 0 ? new Map<string, Asset>() : lock(ids.toSorted());
}

export function mayBeThere({ operation, attempt }: PendingOperation): boolean {
  return !operation.creates || operation.mayExist === true || attempt !== undefined;
}
