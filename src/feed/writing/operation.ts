import type { Asset } from '../../database/entities/asset.entity.js';
import type { Receipt } from '../../database/entities/receipt.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';

/** An asset as an operation leaves it, before the ledger gives it its instant and version, and a new one its number. */
export interface DraftedAsset extends Pick<
  Asset,
  'id' | 'assetType' | 'status' | 'owner' | 'tokenDigest' | 'relatedLot' | 'body'
> {
  listed: boolean;
  /** Names of the fields that it changes; none for a new asset. */
  changed: readonly string[];
}

/** Who asks for a change, for the audit. */
export interface Author {
  /** Name of the account. */
  account: string;
  requestId: string;
}

/** Who waits for an answer. */
export interface Waiter {
  isGone(): boolean;
  /** Calls `act` if the client goes away before it has its answer. */
  whenGone(act: () => void): void;
}

/** One request's write, as the ledger runs it. */
export interface Operation {
  /** Id of the asset that it creates or changes. */
  id: string;
  creates: boolean;
  /** Of a creation that another process may have run before: its row is looked for. */
  mayExist?: true;
  author: Author;
  /** About how many bytes it takes to hold and to write, for back-pressure. */
  bytes: number;
  /** How long its request has waited already, in milliseconds: that much less time is left. */
  waitedMs?: number;
  /** Who waits for the answer. An operation is dropped when its waiter is gone before its batch begins. */
  waiter?: Waiter;
  /** The idempotency record to keep of a creation with an Idempotency-Key. */
  receipt?: Omit<Receipt, 'createdUs'>;
  /** Of a change that needs the transfer code of its asset: the code is used up with it. */
  usesCode?: true;
  /**
   * Decides on the locked row (undefined when there is none). It may be called more than once and must not wait.
   * @param kept the receipt of an earlier creation with the same Idempotency-Key
   * @param code the transfer code of the asset, for who uses it
   * @returns the asset as it shall be, or undefined when nothing changes
   * @throws ApiError to refuse
   */
  decide(current: Asset | undefined, kept?: Receipt, code?: TransferCode): DraftedAsset | undefined;
}
