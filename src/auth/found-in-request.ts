import type { ActingAccount, AssetOwner } from '../database/access-reader.js';
import type { Repeatable } from './repeatable.js';

/** What was found out of who acts on an asset, to be checked again on the locked row. */
export type Permission = (asset: AssetOwner) => void;

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
