import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditAction, AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import { keptBody } from '../../database/kept-body.js';
import type { Author, DraftedAsset } from './operation.js';

/** The state of an asset that a change ends. The instant of the change is not known yet. @param current the asset before the change */
export function revisionOf(current: Asset, draft: DraftedAsset): Omit<Revision, 'untilUs'> {
  const { id, version, modifiedUs, status, relatedLot, owner, body, feedUs } = current;
  return {
    asset: id,
    version,
    modifiedUs,
    status,
    relatedLot,
    owner,
    ...keptBody(body, draft.body, version),
    listed: feedUs === null ? 0 : 1,
    changed: JSON.stringify(draft.changed),
  };
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
