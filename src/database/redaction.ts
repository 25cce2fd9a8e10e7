import { ASSETS } from './asset-row.js';
import type { Dialect } from './dialects/dialect.js';
import type { Asset } from './entities/asset.entity.js';
import { AuditEntry } from './entities/audit-entry.entity.js';
import { LogEntry } from './entities/log-entry.entity.js';
import { Redaction } from './entities/redaction.entity.js';
import { Revision } from './entities/revision.entity.js';
import { EntityTable, type RowOf } from './entity-table.js';
import type { KeptBody } from './kept-body.js';
import type { Session } from './session.js';

const AUDIT = EntityTable.of(AuditEntry);
const ENTRIES = EntityTable.of(LogEntry);
export const REDACTIONS = EntityTable.of(Redaction);
const REVISIONS = EntityTable.of(Revision);
/** No body has it. */
const NO_DIGEST = '-'.repeat(64);
/** Statements that are sent at once. */
const SENT_AT_ONCE = 100;

/** A state that a change has ended, as it is kept. */
export type KeptRevision = Omit<Revision, 'body'> & { body: Buffer };

/** All that is kept of the states of an asset. */
export interface KeptStates {
  asset: Asset;
  /** The newest first. */
  revisions: readonly KeptRevision[];
  entries: readonly LogEntry[];
}

/** What an erasure changes of it. */
export interface ErasedStates {
  asset: Asset;
  /** Bodies of revisions that are there, by their instants. */
  bodies: ReadonlyMap<number, KeptBody>;
  /** Openings of entries that are there, by their places. */
  openings: ReadonlyMap<number, string>;
  /** What the asset was until now; undefined where no state is ended. */
  ended: Revision | undefined;
}

/**
 * Reads what is kept of an asset, and holds it, and the log, to the end of the transaction.
 * @param id 32 lower-case hex characters
 */
export async function lockStates(session: Session, dialect: Dialect, id: string): Promise<KeptStates | undefined> {
  // Who appends to the log under this lock sees whether its states were read before: no entry is made of what goes now.
  await session.query(`SELECT size FROM log_head WHERE id = 1 ${dialect.forUpdateSql}`);
  const [asset] = await session.query<RowOf<Asset>>(
    `SELECT ${ASSETS.select()} FROM asset WHERE id = ? ${dialect.forUpdateSql}`,
    [id],
  );
  if (asset === undefined) return undefined;
  const columns = REVISIONS.select((column) => (column === 'body' ? dialect.bytesSql(column) : column));
  const revisions = await session.query<RowOf<KeptRevision>>(
    `SELECT ${columns} FROM revision WHERE asset = ? ORDER BY until_us DESC`,
    [id],
  );
  const entries = await session.query<RowOf<LogEntry>>(`SELECT ${ENTRIES.select()} FROM log_entry WHERE asset = ?`, [
    id,
  ]);
  return {
    asset: ASSETS.toEntity(asset),
    revisions: revisions.map((row) => Object.assign(REVISIONS.toEntity(row as never), { body: row.body })),
    entries: entries.map((row) => ENTRIES.toEntity(row)),
  };
}

/** No request is taken for the one that created the asset any more. Before the clock is locked, as the ledger does it. */
export async function forgetRequest(session: Session, id: string): Promise<void> {
  // Found first: an UPDATE would lock what it looks at, and it looks at all.
  const rows = await session.query<{ id: string }>('SELECT id FROM receipt WHERE asset_id = ?', [id]);
  for (const row of rows) await session.execute('UPDATE receipt SET body_digest = ? WHERE id = ?', [NO_DIGEST, row.id]);
}

/** Writes what an erasure has left. */
export async function writeErased(session: Session, erased: ErasedStates): Promise<void> {
  const { asset, bodies, openings, ended } = erased;
  const { id, body, version, modifiedUs, feedUs } = asset;
  await session.execute('UPDATE asset SET body = ?, version = ?, modified_us = ?, feed_us = ? WHERE id = ?', [
    body,
    version,
    modifiedUs,
    feedUs,
    id,
  ]);
  if (ended !== undefined) await session.insertRows(REVISIONS, REVISIONS.toRows([ended]));
  const sql = 'UPDATE revision SET body = ?, same_start = ?, same_end = ?, checksum = ? WHERE until_us = ?';
  const kept = [...bodies].map(([us, one]) => [one.body, one.sameStart, one.sameEnd, one.checksum, BigInt(us)]);
  await executeAll(session, sql, kept);
  const opened = [...openings].map(([place, opening]) => [opening, BigInt(place)]);
  await executeAll(session, 'UPDATE log_entry SET opening = ? WHERE place = ?', opened);
}

async function executeAll(session: Session, sql: string, rows: readonly unknown[][]): Promise<void> {
  for (let from = 0; from < rows.length; from += SENT_AT_ONCE) {
    const some = rows.slice(from, from + SENT_AT_ONCE);
    await session.together(() => some.map((values) => session.execute(sql, values)));
  }
}

/** What was erased, and who has done it. */
export async function noteRedaction(session: Session, redaction: Redaction, audit?: AuditEntry): Promise<void> {
  await session.insertRows(REDACTIONS, REDACTIONS.toRows([redaction]));
  if (audit !== undefined) await session.insertRows(AUDIT, AUDIT.toRows([audit]));
}

/** Everything that was erased, the oldest first. */
export async function readRedactions(session: Session): Promise<Redaction[]> {
  const rows = await session.query<RowOf<Redaction>>(`SELECT ${REDACTIONS.select()} FROM redaction ORDER BY us`);
  return rows.map((row) => REDACTIONS.toEntity(row));
}
