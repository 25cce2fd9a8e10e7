import { ASSETS } from '../readers/asset-row.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Asset } from '../entities/asset.entity.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import { Redaction } from '../entities/redaction.entity.js';
import { Revision } from '../entities/revision.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import type { BodyDelta } from '../readers/body-delta.js';
import { padded, placeholdersFor, type Session } from '../connections/session.js';

const AUDIT = EntityTable.of(AuditEntry);
const ENTRIES = EntityTable.of(LogEntry);
const REDACTIONS = EntityTable.of(Redaction);
const REVISIONS = EntityTable.of(Revision);
/** No body has it. */
const NO_DIGEST = '-'.repeat(64);
/** States that are read and written at once: each may have a body of a megabyte. */
const STATES_AT_ONCE = 16;

/** A state that a change has ended, as it is kept. */
export type StoredRevision = Omit<Revision, 'body'> & { body: Buffer };

/** Some of the states that changes of an asset have ended, with what the log has of them. */
export interface StatePortion {
  /** The newest first. */
  revisions: readonly StoredRevision[];
  entries: readonly LogEntry[];
}

/** What an erasure makes of the current state. */
export interface ErasedCurrent {
  asset: Asset;
  /** What the asset was until now; undefined where no state is ended. */
  ended: Revision | undefined;
}

/**
 * Reads an asset, and holds it, and the log, to the end of the transaction.
 * @param id 32 lower-case hex characters
 */
export async function lockAsset(session: Session, dialect: Dialect, id: string): Promise<Asset | undefined> {
  // Who appends to the log under this lock sees whether its states were read before: no entry is made of what goes now.
  await session.query(`SELECT size FROM log_head WHERE id = 1 ${dialect.sql.forUpdate}`);
  const [asset] = await session.query<RowOf<Asset>>(
    `SELECT ${ASSETS.select()} FROM asset WHERE id = ? ${dialect.sql.forUpdate}`,
    [id],
  );
  return asset === undefined ? undefined : ASSETS.toEntity(asset);
}

/** What the log has of the states that began at these instants. */
export async function readEntries(session: Session, modifiedUs: readonly number[]): Promise<LogEntry[]> {
  const values = padded(modifiedUs.map(BigInt));
  const rows = await session.query<RowOf<LogEntry>>(
    `SELECT ${ENTRIES.select()} FROM log_entry WHERE modified_us IN (${placeholdersFor(values)})`,
    values,
  );
  return rows.map((row) => ENTRIES.toEntity(row));
}

/** The states that changes of an asset have ended, from the newest to the oldest, in portions that memory has room for. */
export async function* readStates(session: Session, dialect: Dialect, id: string): AsyncGenerator<StatePortion> {
  const columns = REVISIONS.select((column) => (column === 'body' ? dialect.sql.bytes(column) : column));
  const instants = await session.query<{ us: number | string }>(
    'SELECT until_us AS us FROM revision WHERE asset = ? ORDER BY until_us DESC',
    [id],
  );
  for (let from = 0; from < instants.length; from += STATES_AT_ONCE) {
    const values = padded(instants.slice(from, from + STATES_AT_ONCE).map(({ us }) => BigInt(us)));
    const rows = await session.query<RowOf<StoredRevision>>(
      `SELECT ${columns} FROM revision WHERE until_us IN (${placeholdersFor(values)}) ORDER BY until_us DESC`,
      values,
    );
    const revisions = rows.map((row) => Object.assign(REVISIONS.toEntity(row as never), { body: row.body }));
    const sinceUs = revisions.map(({ modifiedUs }) => modifiedUs);
    yield { revisions, entries: await readEntries(session, sinceUs) };
  }
}

/** No request is taken for one that created the asset, or took it over, any more. Before the clock is locked, as the ledger does it. */
export async function forgetRequest(session: Session, id: string): Promise<void> {
  // Found first: an UPDATE would lock what it looks at, and it looks at all.
  const rows = await session.query<{ id: string }>('SELECT id FROM receipt WHERE asset_id = ?', [id]);
  for (const row of rows) await session.execute('UPDATE receipt SET body_digest = ? WHERE id = ?', [NO_DIGEST, row.id]);
}

export async function writeErased(session: Session, { asset, ended }: ErasedCurrent): Promise<void> {
  const { id, body, version, modifiedUs, feedUs } = asset;
  await session.execute('UPDATE asset SET body = ?, version = ?, modified_us = ?, feed_us = ? WHERE id = ?', [
    body,
    version,
    modifiedUs,
    feedUs,
    id,
  ]);
  if (ended !== undefined) await session.insertRows(REVISIONS, REVISIONS.toRows([ended]));
}

/** @param bodies of revisions that are there, by their instants */
export async function writeBodies(session: Session, bodies: ReadonlyMap<number, BodyDelta>): Promise<void> {
  const sql = 'UPDATE revision SET body = ?, same_start = ?, same_end = ?, checksum = ? WHERE until_us = ?';
  const kept = [...bodies].map(([us, one]) => [one.body, one.sameStart, one.sameEnd, one.checksum, BigInt(us)]);
  await session.together(() => kept.map((values) => session.execute(sql, values)));
}

/** @param openings of entries that are there, by their places */
export async function writeOpenings(session: Session, openings: ReadonlyMap<number, string>): Promise<void> {
  const sql = 'UPDATE log_entry SET opening = ? WHERE place = ?';
  const opened = [...openings].map(([place, opening]) => [opening, BigInt(place)]);
  await session.together(() => opened.map((values) => session.execute(sql, values)));
}

export async function recordRedaction(session: Session, redaction: Redaction, audit?: AuditEntry): Promise<void> {
  await session.insertRows(REDACTIONS, REDACTIONS.toRows([redaction]));
  if (audit !== undefined) await session.insertRows(AUDIT, AUDIT.toRows([audit]));
}

/** Everything that was erased, the oldest first. */
export async function readRedactions(session: Session): Promise<Redaction[]> {
  const rows = await session.query<RowOf<Redaction>>(`SELECT ${REDACTIONS.select()} FROM redaction ORDER BY us`);
  return rows.map((row) => REDACTIONS.toEntity(row));
}
