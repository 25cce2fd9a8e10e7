import type { EntityTable, RowOf } from '../entities/entity-table.js';
import { padded, placeholdersFor, type Session } from '../connections/session.js';

interface WithId {
  id: string;
}

/**
 * Reads rows by their ids.
 * @param ids at least one
 * @param lockSql locks the rows, in the order of their ids
 */
export async function readByIds<Entity extends WithId>(
  session: Session,
  table: EntityTable<Entity>,
  ids: readonly string[],
  lockSql = '',
): Promise<Map<string, Entity>> {
  const values = padded(ids);
  const sql = `SELECT ${table.select()} FROM ${table.table} WHERE id IN (${placeholdersFor(values)}) ORDER BY id ${lockSql}`;
  const rows = await session.query<RowOf<Entity>>(sql, values);
  return new Map(rows.map((row) => [String(row.id), table.toEntity(row)]));
}

/** @param ids at least one */
export async function deleteByIds(session: Session, table: string, ids: readonly string[]): Promise<void> {
  const values = padded(ids);
  await session.execute(`DELETE FROM ${table} WHERE id IN (${placeholdersFor(values)})`, values);
}
