import { type Dialect, overwriteSql } from './dialects/dialect.js';
import { TransferCode } from './entities/transfer-code.entity.js';
import { EntityTable, type RowOf } from './entity-table.js';
import { padded, placesFor, type Session } from './session.js';

/*
 * The ledger's statements for transfer codes, which only assets that change hands need.
 */

const CODES = EntityTable.of(TransferCode);
const CODE = CODES.select();
const OVERWRITTEN = CODES.without('id').columns;

/** Reads the transfer codes of assets and locks them to the end of the transaction. @returns them by the ids of the assets */
export async function lockCodes(
  session: Session,
  { sql: { forUpdate } }: Dialect,
  ids: readonly string[],
): Promise<Map<string, TransferCode>> {
  const values = padded(ids);
  const sql = `SELECT ${CODE} FROM transfer_code WHERE id IN (${placesFor(values)}) ORDER BY id ${forUpdate}`;
  const rows = await session.query<RowOf<TransferCode>>(sql, values);
  return new Map(rows.map((row) => [row.id, CODES.toEntity(row)]));
}

/** Writes the transfer code of an asset, in the place of an earlier one. */
export async function writeCode(session: Session, dialect: Dialect, code: TransferCode): Promise<void> {
  await session.insertRows(CODES, CODES.toRows([code]), overwriteSql(dialect.sql, OVERWRITTEN));
}

/** @param ids of their assets, at least one */
export async function deleteCodes(session: Session, ids: readonly string[]): Promise<void> {
  const values = padded(ids);
  await session.execute(`DELETE FROM transfer_code WHERE id IN (${placesFor(values)})`, values);
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
  const sql = `DELETE FROM transfer_code WHERE id IN (${placesFor(values)}) AND expires_us <= ?`;
  await session.execute(sql, [...values, BigInt(us)]);
  return ids.length;
}
