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
/** Matches the digest of no body. */
const INVALID_DIGEST = '-'.repeat(64);
/** States per portion: each may have a body of a megabyte. */
const STATES_PER_PORTION = 16;

/** An ended state as stored. */
export type StoredRevision = Omit<Revision, 'body'> & { body: Buffer };

/** Some of an asset's ended states, with their log entries. */
export interface StatePortion {
  /** The newest first. */
  revisions: readonly StoredRevision[];
  entries: readonly LogEntry[];
}

export interface ErasedCurrent {
  asset: Asset;
  /** The state that the erasure ends; undefined if it ends none. */
  ended: Revision | undefined;
}

/**
 * Reads an asset, and locks it and the log to the end of the transaction.
 * @param id 32 lower-case hex characters
 */
export async function lockAsset(session: Session, dialect: Dialect, id: string): Promise<Asset | undefined> {
  // An append takes this lock and then checks for erasures, so it never adds an entry with erased values.
  await session.query(`SELECT size FROM log_head WHERE id = 1 ${dialect.sql.forUpdate}`);
  const [asset] = await session.query<RowOf<Asset>>(
    `SELECT ${ASSETS.select()} FROM asset WHERE id = ? ${dialect.sql.forUpdate}`,
    [id],
  );
  return asset === undefined ? undefined : ASSETS.toEntity(asset);
}

/** The log entries of the states that began at these instants. */
export async function readEntries(session: Session, modifiedUs: readonly number[]): Promise<LogEntry[]> {
  const values = padded(modifiedUs.map(BigInt));
  const rows = await session.query<RowOf<LogEntry>>(
    `SELECT ${ENTRIES.select()} FROM log_entry WHERE modified_us IN (${placeholdersFor(values)})`,
    values,
  );
  return rows.map((row) => ENTRIES.toEntity(row));
}

/** An asset's ended states, the newest first, in portions that fit into memory. */
export async function* readStates(session: Session, dialect: Dialect, id: string): AsyncGenerator<StatePortion> {
  const columns = REVISIONS.select((column) => (column === 'body' ? dialect.sql.bytes(column) : column));
  const instants = await session.query<{ us: number | string }>(
    'SELECT until_us AS us FROM revision WHERE asset = ? ORDER BY until_us DESC',
    [id],
  );
  for (let from = 0; from < instants.length; from += STATES_PER_PORTION) {
    const values = padded(instants.slice(from, from + STATES_PER_PORTION).map(({ us }) => BigInt(us)));
    const rows = await session.query<RowOf<StoredRevision>>(
      `SELECT ${columns} FROM revision WHERE until_us IN (${placeholdersFor(values)}) ORDER BY until_us DESC`,
      values,
    );
    const revisions = rows.map((row) => Object.assign(REVISIONS.toEntity(row as never), { body: row.body }));
    const sinceUs = revisions.map(({ modifiedUs }) => modifiedUs);
    yield { revisions, entries: await readEntries(session, sinceUs) };
  }
}

/** Invalidates the receipts of an asset, so that no request is answered from them. Call before locking the clock, the ledger's order of locks. */
export async function invalidateReceipts(session: Session, id: string): Promise<void> {
  // Select first: receipts have no index by asset, so an UPDATE would lock all of them.
  const rows = await session.query<{ id: string }>('SELECT id FROM receipt WHERE asset_id = ?', [id]);
  for (const row of rows)
    await session.execute('UPDATE receipt SET body_digest = ? WHERE id = ?', [INVALID_DIGEST, row.id]);
}

export async function writeErasure(session: Session, { asset, ended }: ErasedCurrent): Promise<void> {
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

/** @param bodies of existing revisions, by their instants */
export async function writeBodies(session: Session, bodies: ReadonlyMap<number, BodyDelta>): Promise<void> {
  const sql = 'UPDATE revision SET body = ?, same_start = ?, same_end = ?, checksum = ? WHERE until_us = ?';
  const rows = [...bodies].map(([us, one]) => [one.body, one.sameStart, one.sameEnd, one.checksum, BigInt(us)]);
  await session.together(() => rows.map((values) => session.execute(sql, values)));
}

/** @param openings of existing entries, by their places */
export async function writeOpenings(session: Session, openings: ReadonlyMap<number, string>): Promise<void> {
  const sql = 'UPDATE log_entry SET opening = ? WHERE place = ?';
  const opened = [...openings].map(([place, opening]) => [opening, BigInt(place)]);
  await session.together(() => opened.map((values) => session.execute(sql, values)));
}

export async function recordRedaction(session: Session, redaction: Redaction, audit?: AuditEntry): Promise<void> {
  await session.insertRows(REDACTIONS, REDACTIONS.toRows([redaction]));
  if (audit !== undefined) await session.insertRows(AUDIT, AUDIT.toRows([audit]));
}

/** All erasures, the oldest first. */
export async function readRedactions(session: Session): Promise<Redaction[]> {
  const rows = await session.query<RowOf<Redaction>>(`SELECT ${REDACTIONS.select()} FROM redaction ORDER BY us`);
  return rows.map((row) => REDACTIONS.toEntity(row));
}
