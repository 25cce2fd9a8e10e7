import type { Asset } from '../../database/entities/asset.entity.js';
import type { AuditEntry } from '../../database/entities/audit-entry.entity.js';
import type { Author, DraftedAsset } from './operation.js';

/** The audit's row for one operation. @param current the asset before it @param asset the asset after it */
export function auditOf(
  author: Author,
  current: Asset | undefined,
  { changed }: DraftedAsset,
  asset: Asset,
): AuditEntry {
  const moved = current !== undefined && current.status !== asset.status;
  const detail =
    current === undefined
      ? { assetID: asset.assetId, status: asset.status }
      : { fields: changed, ...(moved && { from: current.status, to: asset.status }) };
  return {
    us: asset.modifiedUs,
    subject: asset.id,
    actor: author.account,
    action: current === undefined ? 'asset.create' : 'asset.change',
    requestId: author.requestId,
    detail: JSON.stringify(detail),
  };
}
