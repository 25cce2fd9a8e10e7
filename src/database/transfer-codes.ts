import type { Dialect } from './dialects/dialect.js';
import { TransferCode } from './entities/transfer-code.entity.js';
import { EntityTable, type RowOf } from './entity-table.js';
import { padded, placesFor, type Session } from './session.js';

/*
 * The ledger's statements for transfer codes, which only assets that change hands need.
 */

const CODES = EntityTable.of(TransferCode);
const CODE = CODES.select();
const OVERWRITTEN = CODES.without('id').columns;

/** By the ids of their assets, with a lock that is held to the end of the transaction. */
export async function lockCodes(
  session: Session,
  { forUpdateSql }: Dialect,
  ids: readonly string[],
): Promise<Map<string, TransferCode>> {
  const values = padded(ids);
  const sql = `SELECT ${CODE} FROM transfer_code WHERE id IN (${placesFor(values)}) ORDER BY id ${forUpdateSql}`;
  const rows = await session.query<RowOf<TransferCode>>(sql, values);
  return new Map(rows.map((row) => [row.id, CODES.toEntity(row)]));
}

/** In the place of an earlier one. */
export async function writeCode(session: Session, dialect: Dialect, code: TransferCode): Promise<void> {
  await session.insertRows(CODES, CODES.toRows([code]), dialect.overwriteSql(OVERWRITTEN));
}

/** @param ids of their assets; where there is none, nothing is sent */
export async function deleteCodes(session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const values = padded(ids);
  await session.execute(`DELETE FROM transfer_code WHERE id IN (${placesFor(values)})`, values);
}
