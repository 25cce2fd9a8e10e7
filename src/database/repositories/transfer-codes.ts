import { type Dialect, overwriteSql } from '../dialects/dialect.js';
import { TransferCode } from '../entities/transfer-code.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { padded, placeholdersFor, type Session } from '../connections/session.js';

/** Codes for handing assets over, by asset id. */
export const CODES = EntityTable.of(TransferCode);
const OVERWRITTEN_COLUMNS = CODES.without('id').columns;

/** Writes the transfer code of an asset, replacing an earlier one. */
export async function writeCode(session: Session, dialect: Dialect, code: TransferCode): Promise<void> {
  await session.insertRows(CODES, CODES.toRows([code]), overwriteSql(dialect.sql, OVERWRITTEN_COLUMNS));
}

/**
 * Deletes codes that have expired at an instant in microseconds. Selects them without a lock first, because there is no index by expiry; a
 * code that was replaced meanwhile stays.
 * @param most maximum to delete
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
