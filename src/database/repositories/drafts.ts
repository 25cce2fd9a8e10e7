import type { Dialect } from '../dialects/dialect.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { deleteByIds } from './rows-by-id.js';
import { padded, placeholdersFor, type Session } from '../connections/session.js';

/*
 * Never published drafts, for the command that removes old ones.
 */

const AUDIT = EntityTable.of(AuditEntry);
/** Per transaction: each draft, and each of its earlier states, may have a megabyte. */
const DRAFTS_PER_PORTION = 20;
const IS_OLD_DRAFT = `feed_us IS NULL AND modified_us < ?
  AND NOT EXISTS (SELECT 1 FROM revision WHERE revision.asset = asset.id AND revision.listed = 1)`;

export interface OldDraft {
  id: string;
  assetId: string;
  /** Name of the owner's account. */
  owner: string;
}

/**
 * Lists ids of drafts in portions.
 * @param beforeUs only drafts whose last change is before this instant, in microseconds
 */
export async function* oldDraftIds(session: Session, beforeUs: number): AsyncGenerator<string[]> {
  const sql = `SELECT id FROM asset WHERE ${IS_OLD_DRAFT} AND id > ? ORDER BY id LIMIT ${DRAFTS_PER_PORTION}`;
  for (let after = ''; ;) {
    const ids = (await session.query<{ id: string }>(sql, [BigInt(beforeUs), after])).map(({ id }) => id);
    if (ids.length === 0) return;
    yield ids;
    after = ids.at(-1) as string;
  }
}

/** Bytes of these drafts and of their stored earlier states. */
export async function bytesOfDrafts(session: Session, ids: readonly string[]): Promise<number> {
  const values = padded(ids);
  const placeholders = placeholdersFor(values);
  const sql = `SELECT SUM(OCTET_LENGTH(body)) AS bytes FROM asset WHERE id IN (${placeholders})
    UNION ALL SELECT SUM(OCTET_LENGTH(body)) FROM revision WHERE asset IN (${placeholders})`;
  const rows = await session.query<{ bytes: number | string | null }>(sql, [...values, ...values]);
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

/**
 * Locks those of these drafts that are still unpublished and unchanged; skips drafts that another transaction has locked, because that
 * changes them.
 */
export async function lockOldDrafts(
  session: Session,
  dialect: Dialect,
  ids: readonly string[],
  beforeUs: number,
): Promise<OldDraft[]> {
  const values = padded(ids);
  const sql = `SELECT id, asset_id AS assetId, owner FROM asset
    WHERE id IN (${placeholdersFor(values)}) AND ${IS_OLD_DRAFT} ORDER BY id ${dialect.sql.forUpdateSkipLocked}`;
  return session.query<OldDraft>(sql, [...values, BigInt(beforeUs)]);
}

/**
 * Removes locked drafts with everything that belongs to them, except their audit rows, and adds an audit row for each. Their numbers are not
 * reused.
 * @param drafts at least one
 */
export async function removeDrafts(
  session: Session,
  drafts: readonly OldDraft[],
  audited: Pick<AuditEntry, 'us' | 'actor'>,
): Promise<void> {
  const ids = drafts.map(({ id }) => id);
  const values = padded(ids);
  // Select first: receipts have no index by asset, so a DELETE would lock all of them.
  const sql = `SELECT id FROM receipt WHERE asset_id IN (${placeholdersFor(values)})`;
  const receipts = (await session.query<{ id: string }>(sql, values)).map(({ id }) => id);
  if (receipts.length > 0) await deleteByIds(session, 'receipt', receipts);
  await deleteByIds(session, 'transfer_code', ids);
  await session.together(() => ids.map((id) => session.execute('DELETE FROM revision WHERE asset = ?', [id])));
  await session.together(() => ids.map((id) => session.execute('DELETE FROM asset WHERE id = ?', [id])));
  const audit = drafts.map(({ id, assetId, owner }) => {
    const detail = JSON.stringify({ assetID: assetId, owner });
    return { ...audited, subject: id, action: 'draft.purge' as const, requestId: null, detail };
  });
  await session.insertRows(AUDIT, AUDIT.toRows(audit));
}
