import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { ApiError } from '../../platform/errors/api-error.js';

/** An asset after an operation, without the instant, version and number that the ledger assigns. */
export interface DecidedAsset extends Pick<
  Asset,
  'id' | 'assetType' | 'status' | 'owner' | 'tokenDigest' | 'relatedLot' | 'body'
> {
  listed: boolean;
  /** Names of the changed fields; empty for a new asset. */
  changed: readonly string[];
}

/** The account that requests a change, for the audit. */
export interface Author {
  account: string;
  requestId: string;
}

/** The client that waits for an answer. */
export interface Waiter {
  isGone(): boolean;
  /** Calls `act` if the client goes away before it has its answer. */
  whenGone(act: () => void): void;
}

/** Input of a decision in addition to the asset's row. */
export interface DecisionContext {
  /** The asset's index in `ids`. */
  index: number;
  /** The receipt of an earlier POST with the same Idempotency-Key. */
  receipt?: Receipt | undefined;
  /** The transfer code of the asset, if the operation uses it. */
  code?: TransferCode | undefined;
}

/** One request's write: an atomic change of one asset or several. */
export interface Operation {
  /** Ids of the assets that it creates or changes, each once. Their instants are consecutive and in this order. */
  ids: readonly string[];
  creates: boolean;
  author: Author;
  /** Approximate bytes of memory while it waits, and to write. */
  bytes: number;
  /** How long its request has waited already, in milliseconds. It counts against the deadline. */
  waitedMs?: number;
  /** The client that waits for the answer. If it goes before the batch begins, the operation is dropped. */
  waiter?: Waiter;
  /** The idempotency record to store for a POST with an Idempotency-Key. */
  receipt?: Omit<Receipt, 'createdUs'>;
  /** The change needs and deletes the asset's transfer code. */
  usesCode?: true;
  /** Bytes of its assets to read, if known before they are locked. */
  readBytes?: number;
  /**
   * Decides on the locked row of one asset (undefined if it does not exist). May be called more than once.
   * @returns the asset after the change, or undefined if nothing changes
   * @throws ApiError to refuse
   */
  decide(current: Asset | undefined, context: DecisionContext): DecidedAsset | undefined;
  /** Combines the refusals of several assets into one error. @param refusals by the assets' indexes in `ids` */
  refuse?(refusals: ReadonlyMap<number, ApiError>): ApiError;
}
