import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditAction, AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { StoredBytes } from '../../database/entities/stored-bytes.entity.js';
import { bodyDelta } from '../../database/readers/body-delta.js';
import type { LedgerClock } from '../watermarks.js';
import type { Author, DecidedAsset } from './operation.js';
import type { DatedChange, DecidedChange } from './decided-change.js';
import type { DayNumbers, LedgerTransaction } from './ledger-store.js';

/*
 * The rows written for each change: the asset, with the number of a new one, the revision, and the audit entry.
 */

/**
 * Bytes written by a change in addition to bodies: other columns, the audit's row, indexes, and the same in the database's log. Measured:
 * docs/production.md, "Disk space".
 */
export const FIXED_BYTES_PER_CHANGE = 2_048;

interface Numbering {
  clock: Pick<LedgerClock, 'dayOf'>;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

/** Consecutive numbers, up to `last`. */
export interface NumberRange extends DayNumbers {
  last: number;
}

/**
 * The numbers to reserve together with instants, which are nearly always of the candidate's day.
 * @returns undefined if nothing is created
 */
export function numbersFor(
  changes: readonly DecidedChange[],
  candidateUs: number,
  { clock }: Pick<Numbering, 'clock'>,
): DayNumbers | undefined {
  const count = changes.filter(({ current }) => current === undefined).length;
  return count === 0 ? undefined : { day: clock.dayOf(candidateUs), count };
}

/**
 * Assigns assetIDs to the new assets, by their index in the batch. The reserved numbers may not fit: a batch may span midnight, the feed's
 * clock may be ahead, and operations may have dropped out.
 * @param reserved all ranges that this transaction has reserved; those of a day are adjacent, because it locks the clock
 */
export async function numberNewAssets(
  dated: readonly DatedChange[],
  reserved: readonly NumberRange[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
  numbering: Numbering,
): Promise<Map<number, string>> {
  const indexesByDay = indexesOfNew(dated, (us) => numbering.clock.dayOf(us));
  const days = new Set([...reserved.map(({ day }) => day), ...indexesByDay.keys()]);
  const assetIds = new Map<number, string>();
  for (const day of days) {
    const indexes = indexesByDay.get(day) ?? [];
    const ofDay = reserved.filter((numbers) => numbers.day === day);
    const last = await adjustReserved({ day, count: indexes.length }, ofDay, transaction);
    indexes.forEach((index, i) => assetIds.set(index, numbering.assetIdOf(day, last - indexes.length + 1 + i)));
  }
  return assetIds;
}

/** Takes missing numbers or returns superfluous ones, so that there is no gap. @returns the last of the numbers needed */
async function adjustReserved(
  { day, count }: DayNumbers,
  reserved: readonly NumberRange[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
): Promise<number> {
  const spare = reserved.reduce((sum, numbers) => sum + numbers.count, 0) - count;
  if (spare < 0) return transaction.takeNumbers({ day, count: -spare });
  if (spare > 0) await transaction.returnNumbers({ day, count: spare });
  return (reserved.at(-1) as NumberRange).last - spare;
}

function indexesOfNew(dated: readonly DatedChange[], dayOf: (us: number) => string): Map<string, number[]> {
  const indexesByDay = new Map<string, number[]>();
  dated.forEach(({ current, us }, i) => {
    if (current !== undefined) return;
    const day = dayOf(us);
    indexesByDay.set(day, [...(indexesByDay.get(day) ?? []), i]);
  });
  return indexesByDay;
}

/** The revision of a change, without the change's instant, which is not known yet. @param current the asset before the change */
export function revisionOf(current: Asset, next: Pick<DecidedAsset, 'body' | 'changed'>): Omit<Revision, 'untilUs'> {
  const { id, version, modifiedUs, status, relatedLot, owner, body, feedUs } = current;
  return {
    asset: id,
    version,
    modifiedUs,
    status,
    relatedLot,
    owner,
    ...bodyDelta(body, next.body, version),
    listed: feedUs === null ? 0 : 1,
    changed: JSON.stringify(next.changed),
  };
}

/**
 * Estimates the bytes that the database writes for a change: each new text once in its table and once in its log, which contains the earlier
 * text as well.
 * @param revision the previous state; undefined for a creation
 */
export function writtenBytes({ body }: Pick<DecidedAsset, 'body'>, revision: DecidedChange['revision']): number {
  const after = Buffer.byteLength(body);
  if (revision === undefined) return 2 * after + FIXED_BYTES_PER_CHANGE;
  const differing = Buffer.byteLength(revision.body);
  const before = revision.sameStart + differing + revision.sameEnd;
  return 2 * (after + differing) + before + FIXED_BYTES_PER_CHANGE;
}

/** The bytes stored by these changes, per account. @param day local, `2017-08-16` */
export function storedBytes(changes: readonly Pick<DecidedChange, 'pending' | 'bytes'>[], day: string): StoredBytes[] {
  const byAccount = new Map<string, number>();
  for (const { pending, bytes } of changes) {
    const { account } = pending.operation.author;
    byAccount.set(account, (byAccount.get(account) ?? 0) + bytes);
  }
  return [...byAccount].map(([account, bytes]) => ({ account, day, bytes }));
}

/** The audit entry of one change. @param current the asset before it @param asset the asset after it */
export function auditOf(
  author: Author,
  current: Asset | undefined,
  { changed }: DecidedAsset,
  asset: Asset,
): AuditEntry {
  const [action, detail] = actionOf(current, changed, asset);
  return {
    us: asset.modifiedUs,
    subject: asset.id,
    actor: author.account,
    action,
    requestId: author.requestId,
    detail: JSON.stringify(detail),
  };
}

function actionOf(current: Asset | undefined, fields: readonly string[], asset: Asset): [AuditAction, object] {
  if (current === undefined) return ['asset.create', { assetID: asset.assetId, status: asset.status }];
  if (current.owner !== asset.owner) return ['asset.transfer', { fields, from: current.owner, to: asset.owner }];
  const moved = current.status !== asset.status && { from: current.status, to: asset.status };
  return ['asset.change', { fields, ...moved }];
}

/**
 * The asset's row after a change.
 * @param current the row before; undefined for a new asset
 * @param us the change's instant, in microseconds
 */
export function stamp(next: DecidedAsset, current: Asset | undefined, us: number, assetId: string): Asset {
  const { id, assetType, status, owner, tokenDigest, relatedLot, body, listed } = next;
  return {
    id,
    assetId,
    assetType,
    status,
    owner,
    tokenDigest,
    relatedLot,
    body,
    version: (current?.version ?? 0) + 1,
    createdUs: current?.createdUs ?? us,
    modifiedUs: us,
    feedUs: listed ? us : null,
  };
}
