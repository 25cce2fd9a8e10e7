import { type Dialect, overwriteSql } from '../dialects/dialect.js';
import { TransferCode } from '../entities/transfer-code.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { padded, placeholdersFor, type Session } from '../connections/session.js';

/** The codes by which assets go to other brokers, by the ids of the assets. */
export const CODES = EntityTable.of(TransferCode);
const OVERWRITTEN = CODES.without('id').columns;

/** Writes the transfer code of an asset, in the place of an earlier one. */
export async function writeCode(session: Session, dialect: Dialect, code: TransferCode): Promise<void> {
  await session.insertRows(CODES, CODES.toRows([code]), overwriteSql(dialect.sql, OVERWRITTEN));
}

/**
 * At most so many that have expired at an instant, in microseconds. They are looked for without a lock, as there is no index for it: a code
 * that took the place of one meanwhile stays.
 * @returns how many were found
 */
export async function deleteExpiredCodes(session: Session, us: number, most: number): Promise<number> {
  const found = 'SELECT id FROM transfer_code WHERE expires_us <= ? ORDER BY id LIMIT ?';
  const ids = (await session.query<{ id: string }>(found, [BigInt(us), BigInt(most)])).map(({ id }) => id);
  if (ids.length === 0) return 0;
  const values = padded(ids);
  const sql = `DELETE FROM transfer_code WHERE id IN (${placeholdersFor(values)}) AND expires_us <= ?`;
  await session.execute(sql, [...values, BigInt(us)]);
  return ids.length;
}
