import type { Asset } from '../../database/entities/asset.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { DraftedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';

/** What an operation makes of one asset. Those of one operation stand together, in its order. */
export interface DraftedChange {
  pending: PendingOperation;
  /** The asset's place in the `ids` of its operation. */
  place: number;
  current: Asset | undefined;
  draft: DraftedAsset;
  /** The state that the change ends, to be kept as a revision; undefined for a creation. */
  ended: Omit<Revision, 'untilUs'> | undefined;
  /** What the account is charged for it. */
  bytes: number;
}

/** A drafted asset with the instant of its change. */
export interface DatedChange extends DraftedChange {
  us: number;
}
