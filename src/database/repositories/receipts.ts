import { Receipt } from '../entities/receipt.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import type { Session } from '../connections/session.js';

/** Creations and takeovers with an Idempotency-Key. */
export const RECEIPTS = EntityTable.of(Receipt);

/** The ids of at most so many that are older than an instant, in microseconds; the oldest first. */
export async function findReceiptsBefore(session: Session, us: number, most: number): Promise<string[]> {
  const sql = 'SELECT id FROM receipt WHERE created_us < ? ORDER BY created_us LIMIT ?';
  const rows = await session.query<{ id: string }>(sql, [BigInt(us), BigInt(most)]);
  return rows.map(({ id }) => id);
}
