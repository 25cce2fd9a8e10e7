import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditAction, AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { StoredBytes } from '../../database/entities/stored-bytes.entity.js';
import { bodyDelta } from '../../database/readers/body-delta.js';
import type { LedgerClock } from '../watermarks.js';
import type { Author, DraftedAsset } from './operation.js';
import type { DatedChange, DraftedChange } from './drafted-change.js';
import type { DayNumbers, LedgerTransaction } from './ledger-store.js';

/*
 * What is written for each change of a batch: the asset as it is from then on, the number of a new one, the state that it leaves, and the
 * entry of the audit.
 */

/**
 * What a change takes in addition to bodies: the other columns of its rows, the audit's row, the indexes, and the same in the database's log.
 * Measured: docs/production.md, "Disk space".
 */
export const BYTES_BESIDE_BODIES = 2_048;

interface Numbering {
  clock: Pick<LedgerClock, 'dayOf'>;
  /** The assetID of the `number`th asset of a day. */
  assetIdOf(day: string, number: number): string;
}

/** Numbers that were taken, up to the last of them. */
export interface TakenNumbers extends DayNumbers {
  last: number;
}

/**
 * The numbers that a batch asks for together with its instants: of the candidate's day, which is nearly always theirs.
 * @returns undefined where nothing is created
 */
export function numbersFor(
  drafted: readonly DraftedChange[],
  candidateUs: number,
  { clock }: Pick<Numbering, 'clock'>,
): DayNumbers | undefined {
  const count = drafted.filter(({ current }) => current === undefined).length;
  return count === 0 ? undefined : { day: clock.dayOf(candidateUs), count };
}

/**
 * The assetIDs of the new assets, by their place in the batch. A batch may run over midnight, the feed's clock may be ahead of it, and some
 * for whom numbers were taken may not be written any more.
 * @param taken all that this transaction has taken by `numbersFor`; as it holds the clock, those of a day follow each other
 */
export async function numberNewAssets(
  dated: readonly DatedChange[],
  taken: readonly TakenNumbers[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
  numbering: Numbering,
): Promise<Map<number, string>> {
  const placesByDay = placesOfNew(dated, (us) => numbering.clock.dayOf(us));
  const days = new Set([...taken.map(({ day }) => day), ...placesByDay.keys()]);
  const assetIds = new Map<number, string>();
  for (const day of days) {
    const places = placesByDay.get(day) ?? [];
    const ofDay = taken.filter((numbers) => numbers.day === day);
    const last = await settleDay({ day, count: places.length }, ofDay, transaction);
    places.forEach((place, i) => assetIds.set(place, numbering.assetIdOf(day, last - places.length + 1 + i)));
  }
  return assetIds;
}

/** Takes what lacks, or gives back what is too much, so that no number is left out. @returns the last of the numbers that are needed */
async function settleDay(
  { day, count }: DayNumbers,
  taken: readonly TakenNumbers[],
  transaction: Pick<LedgerTransaction, 'takeNumbers' | 'returnNumbers'>,
): Promise<number> {
  const spare = taken.reduce((sum, numbers) => sum + numbers.count, 0) - count;
  if (spare < 0) return transaction.takeNumbers({ day, count: -spare });
  if (spare > 0) await transaction.returnNumbers({ day, count: spare });
  return (taken.at(-1) as TakenNumbers).last - spare;
}

function placesOfNew(dated: readonly DatedChange[], dayOf: (us: number) => string): Map<string, number[]> {
  const placesByDay = new Map<string, number[]>();
  dated.forEach(({ current, us }, i) => {
    if (current !== undefined) return;
    const day = dayOf(us);
    placesByDay.set(day, [...(placesByDay.get(day) ?? []), i]);
  });
  return placesByDay;
}

/** The state of an asset that a change ends. The instant of the change is not known yet. @param current the asset before the change */
export function revisionOf(current: Asset, draft: Pick<DraftedAsset, 'body' | 'changed'>): Omit<Revision, 'untilUs'> {
  const { id, version, modifiedUs, status, relatedLot, owner, body, feedUs } = current;
  return {
    asset: id,
    version,
    modifiedUs,
    status,
    relatedLot,
    owner,
    ...bodyDelta(body, draft.body, version),
    listed: feedUs === null ? 0 : 1,
    changed: JSON.stringify(draft.changed),
  };
}

/**
 * Estimates what a change makes the database write, in bytes: each new text once in its table and once in the log of changes, which has the
 * earlier text as well.
 * @param ended the state that the change ends; undefined for a creation
 */
export function writtenBytes({ body }: Pick<DraftedAsset, 'body'>, ended: DraftedChange['ended']): number {
  const after = Buffer.byteLength(body);
  if (ended === undefined) return 2 * after + BYTES_BESIDE_BODIES;
  const kept = Buffer.byteLength(ended.body);
  const before = ended.sameStart + kept + ended.sameEnd;
  return 2 * (after + kept) + before + BYTES_BESIDE_BODIES;
}

/** What each account has had stored by these changes. @param day the local one, `2017-08-16` */
export function storedBytes(drafted: readonly Pick<DraftedChange, 'pending' | 'bytes'>[], day: string): StoredBytes[] {
  const byAccount = new Map<string, number>();
  for (const { pending, bytes } of drafted) {
    const { account } = pending.operation.author;
    byAccount.set(account, (byAccount.get(account) ?? 0) + bytes);
  }
  return [...byAccount].map(([account, bytes]) => ({ account, day, bytes }));
}

/** The audit's row for one operation. @param current the asset before it @param asset the asset after it */
export function auditOf(
  author: Author,
  current: Asset | undefined,
  { changed }: DraftedAsset,
  asset: Asset,
): AuditEntry {
  const [action, detail] = toldOf(current, changed, asset);
  return {
    us: asset.modifiedUs,
    subject: asset.id,
    actor: author.account,
    action,
    requestId: author.requestId,
    detail: JSON.stringify(detail),
  };
}

function toldOf(current: Asset | undefined, fields: readonly string[], asset: Asset): [AuditAction, object] {
  if (current === undefined) return ['asset.create', { assetID: asset.assetId, status: asset.status }];
  if (current.owner !== asset.owner) return ['asset.transfer', { fields, from: current.owner, to: asset.owner }];
  const moved = current.status !== asset.status && { from: current.status, to: asset.status };
  return ['asset.change', { fields, ...moved }];
}

/**
 * An asset as a change leaves it.
 * @param current the asset before; undefined for a new one
 * @param us the change's instant, in microseconds
 */
export function stamp(draft: DraftedAsset, current: Asset | undefined, us: number, assetId: string): Asset {
  const { id, assetType, status, owner, tokenDigest, relatedLot, body, listed } = draft;
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
