import type { Asset } from '../../database/entities/asset.entity.js';
import type { Revision } from '../../database/entities/revision.entity.js';
import type { DecidedAsset } from './operation.js';
import type { PendingOperation } from './pending-operation.js';

/** An operation's change of one asset. In a list, the changes of one operation are adjacent and in its order. */
export interface DecidedChange {
  pending: PendingOperation;
  /** The asset's index in the `ids` of its operation. */
  index: number;
  current: Asset | undefined;
  next: DecidedAsset;
  /** The previous state, to be stored; undefined for a creation. */
  revision: Omit<Revision, 'untilUs'> | undefined;
  /** Bytes charged to the account. */
  bytes: number;
}

/** A change with its instant, which is unique. */
export interface DatedChange extends DecidedChange {
  us: number;
}
