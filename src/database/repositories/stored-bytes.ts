import type { Dialect } from '../dialects/dialect.js';
import { StoredBytes } from '../entities/stored-bytes.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import type { Session } from '../connections/session.js';

const STORED_BYTES = EntityTable.of(StoredBytes);

/** Adds to the accounts' stored bytes of a day; an earlier day's number is dropped. @param stored each account once */
export async function addStoredBytes(
  session: Session,
  dialect: Dialect,
  stored: readonly StoredBytes[],
): Promise<void> {
  const { onConflict, incoming } = dialect.sql;
  const isEarlier = `day < ${incoming('day')}`;
  // Assign bytes before day, because servers evaluate assignments in order and the condition reads the old day.
  const addSql = `${onConflict('account')} bytes = CASE WHEN ${isEarlier} THEN 0 ELSE bytes END + ${incoming('bytes')},
    day = CASE WHEN ${isEarlier} THEN ${incoming('day')} ELSE day END`;
  await session.insertRows(STORED_BYTES, STORED_BYTES.toRows(stored), addSql);
}
