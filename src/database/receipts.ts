import type { Dialect } from './dialects/dialect.js';
import { Receipt } from './entities/receipt.entity.js';
import { EntityTable, type RowOf } from './entity-table.js';
import { padded, placesFor, type Session } from './session.js';

/*
 * The ledger's statements for receipts: creations and takeovers with an Idempotency-Key need them, and the task that forgets old ones.
 */

export const RECEIPTS = EntityTable.of(Receipt);
const RECEIPT = RECEIPTS.select();

/** With a lock that is held to the end of the transaction. */
export async function lockReceipts(
  session: Session,
  { sql: { forUpdate } }: Dialect,
  ids: readonly string[],
): Promise<Map<string, Receipt>> {
  const values = padded(ids);
  const sql = `SELECT ${RECEIPT} FROM receipt WHERE id IN (${placesFor(values)}) ORDER BY id ${forUpdate}`;
  const rows = await session.query<RowOf<Receipt>>(sql, values);
  return new Map(rows.map((row) => [row.id, RECEIPTS.toEntity(row)]));
}

/** @param ids at least one */
export async function deleteReceipts(session: Session, ids: readonly string[]): Promise<void> {
  const values = padded(ids);
  await session.execute(`DELETE FROM receipt WHERE id IN (${placesFor(values)})`, values);
}

/** The ids of at most so many that are older than an instant, in microseconds; the oldest first. */
export async function findReceiptsBefore(session: Session, us: number, most: number): Promise<string[]> {
  const sql = 'SELECT id FROM receipt WHERE created_us < ? ORDER BY created_us LIMIT ?';
  const rows = await session.query<{ id: string }>(sql, [BigInt(us), BigInt(most)]);
  return rows.map(({ id }) => id);
}
