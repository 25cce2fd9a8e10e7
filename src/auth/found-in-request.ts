import type { ActingAccount, AssetOwner } from '../database/access-reader.js';
import type { SentToken } from './key-and-token.guard.js';
import type { Repeatable } from './repeatable.js';

/** Who acts on an asset, with which proof: data, to be checked again where the row is locked, which may be another process. */
export interface Permission {
  account: ActingAccount;
  /** The owner token of a broker's request. */
  sent: SentToken | undefined;
}

declare module '../http/exchange.js' {
  /** What the guards of this room have found. */
  interface RegistryRequest {
    /** The account that BrokerKeyGuard let in. */
    account?: ActingAccount;
    /** Whose the asset of the path was when the key was looked for; undefined where there was none. */
    assetOwner?: AssetOwner | undefined;
    /** Set by OwnerTokenGuard. */
    permission?: Permission;
    /** Set by RepeatableGuard, where the POST brought an Idempotency-Key. */
    repeatable?: Repeatable;
  }
}
