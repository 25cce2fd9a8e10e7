import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { ApiError } from '../../platform/errors/api-error.js';

/** An asset as an operation leaves it, before the ledger gives it its instant and version, and a new one its number. */
export interface DraftedAsset extends Pick<
  Asset,
  'id' | 'assetType' | 'status' | 'owner' | 'tokenDigest' | 'relatedLot' | 'body'
> {
  listed: boolean;
  /** Names of the fields that it changes; none for a new asset. */
  changed: readonly string[];
}

/** The account that asks for a change, for the audit. */
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

/** What an operation is told beside the row of an asset. */
export interface DecisionContext {
  /** The asset's place in `ids`. */
  place: number;
  /** The receipt of an earlier POST with the same Idempotency-Key. */
  receipt?: Receipt | undefined;
  /** The transfer code of the asset, for who uses it. */
  code?: TransferCode | undefined;
}

/** One request's write, as the ledger runs it: a change of one asset, or of several as one. */
export interface Operation {
  /** Ids of the assets that it creates or changes, each once. All of it is done, in this order and with consecutive instants, or nothing. */
  ids: readonly string[];
  creates: boolean;
  author: Author;
  /** About how many bytes it takes to hold and to write, for back-pressure. */
  bytes: number;
  /** How long its request has waited already, in milliseconds: that much less time is left. */
  waitedMs?: number;
  /** The client that waits for the answer. The operation is dropped when it is gone before its batch begins. */
  waiter?: Waiter;
  /** The idempotency record to keep of a POST with an Idempotency-Key. */
  receipt?: Omit<Receipt, 'createdUs'>;
  /** The change needs the asset's transfer code, and uses it up. */
  usesCode?: true;
  /** What is read of its assets, in bytes, as far as that is known before they are locked. */
  readBytes?: number;
  /**
   * Decides on the locked row of one asset (undefined when there is none). It may be called more than once.
   * @returns the asset as it shall be, or undefined when nothing changes
   * @throws ApiError to refuse
   */
  decide(current: Asset | undefined, beside: DecisionContext): DraftedAsset | undefined;
  /** Where a change of several assets is refused, makes its one error of those of the assets. @param refusals by the assets' places in `ids` */
  refuse?(refusals: ReadonlyMap<number, ApiError>): ApiError;
}
