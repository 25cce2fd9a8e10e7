import type { Asset } from '../database/entities/asset.entity.js';
import type { Revision } from '../database/entities/revision.entity.js';
import { keptBody } from './kept-body.js';
import type { DraftedAsset } from './operation.js';

/** What an asset was until a change. @param current the asset before it @param us the change's instant, in microseconds */
export function revisionOf(current: Asset, draft: DraftedAsset, us: number): Revision {
  const { id, version, modifiedUs, status, relatedLot, body, feedUs } = current;
  return {
    untilUs: us,
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
