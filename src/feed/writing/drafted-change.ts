import type { Asset } from '../../database/entities/asset.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { DraftedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';

/** An operation's change of one asset. In a list, the changes of one operation are adjacent and in its order. */
export interface DraftedChange {
  pending: PendingOperation;
  /** The asset's index in the `ids` of its operation. */
  index: number;
  current: Asset | undefined;
  draft: DraftedAsset;
  /** The previous state, to be stored; undefined for a creation. */
  revision: Omit<Revision, 'untilUs'> | undefined;
  /** Bytes charged to the account. */
  bytes: number;
}

/** A drafted asset with the instant of its change. */
export interface DatedChange extends DraftedChange {
  us: number;
}
