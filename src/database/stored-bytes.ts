import type { Dialect } from './dialects/dialect.js';
import { StoredBytes } from './entities/stored-bytes.entity.js';
import { EntityTable } from './entity-table.js';
import type { Session } from './session.js';

const STORED_BYTES = EntityTable.of(StoredBytes);

/** Adds to what accounts have had stored on a day. @param stored each account once */
export async function countBytes(session: Session, dialect: Dialect, stored: readonly StoredBytes[]): Promise<void> {
  await session.insertRows(STORED_BYTES, STORED_BYTES.toRows(stored), dialect.addBytesSql);
}
