import { Receipt } from '../entities/receipt.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import type { Session } from '../connections/session.js';
import { deleteByIds } from './rows-by-id.js';

/** Creations and takeovers with an Idempotency-Key. */
export const RECEIPTS = EntityTable.of(Receipt);

/** Deletes receipts older than an instant in microseconds, the oldest first. @param most maximum to delete @returns how many were deleted */
export async function deleteReceiptsBefore(session: Session, us: number, most: number): Promise<number> {
  const sql = 'SELECT id FROM receipt WHERE created_us < ? ORDER BY created_us LIMIT ?';
  const found = await session.query<{ id: string }>(sql, [BigInt(us), BigInt(most)]);
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) await deleteByIds(session, 'receipt', ids);
  return ids.length;
}
