import type { Asset } from '../../database/entities/asset.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import { keptBody } from '../../database/kept-body.js';
import type { DraftedAsset } from './operation.js';

/** The state of an asset that a change ends. The instant of the change is not known yet. @param current the asset before the change */
export function revisionOf(current: Asset, draft: DraftedAsset): Omit<Revision, 'untilUs'> {
  const { id, version, modifiedUs, status, relatedLot, body, feedUs } = current;
  return {
    asset: id,
    version,
    modifiedUs,
    status,
    relatedLot,
    ...keptBody(body, draft.body, version),
    listed: feedUs === null ? 0 : 1,
    changed: JSON.stringify(draft.changed),
  };
}
