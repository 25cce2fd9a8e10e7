import type { ActingAccount, AssetOwner } from '../database/readers/access-reader.js';
import type { FaultLocation } from '../platform/errors/api-error.js';
import type { IdempotentRequest } from './idempotency.js';

/** The owner token of a request: its digest, undefined if it is not a string, and its position. */
export interface SentToken {
  digest: string | undefined;
  location: FaultLocation;
  name: string;
}

/** The account that acts on an asset, and its owner token. Checked again on the locked row. */
export interface Permission {
  account: ActingAccount;
  /** The owner token of a broker's request. */
  sent: SentToken | undefined;
}

declare module '../http/request.js' {
  /** Set by the guards of this room. */
  interface RegistryRequest {
    /** The account of the key, set by BrokerKeyGuard. */
    account?: ActingAccount;
    /** Whether the body was still being received when the key was looked up. */
    mayOutlastKey?: boolean;
    /** The owner of the path's asset when the key was looked up; undefined if there was no such asset. */
    assetOwner?: AssetOwner | undefined;
    /** Set by OwnerTokenGuard. */
    permission?: Permission;
    /** Set by IdempotencyGuard, if the POST has an Idempotency-Key. */
    repeatable?: IdempotentRequest;
  }
}
