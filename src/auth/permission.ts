import type { ActingAccount, AssetOwner } from '../database/readers/access-reader.js';
import type { FaultLocation } from '../platform/errors/api-error.js';
import type { IdempotentRequest } from './idempotency.js';

/** An owner token as a request brought it: its digest, undefined where what stood there is no string. */
export interface SentToken {
  digest: string | undefined;
  location: FaultLocation;
  name: string;
}

/** Who acts on an asset, and the proof of the right to. It is checked again on the locked row. */
export interface Permission {
  account: ActingAccount;
  /** The owner token of a broker's request. */
  sent: SentToken | undefined;
}

declare module '../http/request.js' {
  /** What the guards of this room have found. */
  interface RegistryRequest {
    /** The account that BrokerKeyGuard let in. */
    account?: ActingAccount;
    /** Whether the body was still on its way when the key was looked up. */
    mayOutlastKey?: boolean;
    /** The owner of the path's asset when the key was looked up; undefined where there was no such asset. */
    assetOwner?: AssetOwner | undefined;
    /** Set by OwnerTokenGuard. */
    permission?: Permission;
    /** Set by IdempotencyGuard, where the POST brought an Idempotency-Key. */
    repeatable?: IdempotentRequest;
  }
}
