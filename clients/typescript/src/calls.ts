import type { Asset, AssetPatch, TriedAsset } from './asset-types.js';
import type { OnWait } from './repeats.js';

/*
 * What the calls of a client take and give.
 */

export interface ClientOptions {
  /** API key of an account; reads need none. */
  key?: string;
  /** Gives up whatever is under way; its reason is thrown. */
  signal?: AbortSignal;
  /** Told before each pause. */
  onWait?: OnWait;
  /**
   * Pause of `follow` at the end of the feed. Unless given, the registry is asked to answer when something comes; where that cannot be had, the
   * pause is as long as it says (`Backoff`).
   */
  pollMs?: number;
  /** How often one request is repeated before it fails, with growing pauses; 10 unless given (about two minutes), Infinity for services that follow. */
  retries?: number;
  /** Put before the client's own name. */
  userAgent?: string;
}

export interface CallOptions {
  /** Gives up this call; its reason is thrown. */
  signal?: AbortSignal;
}

/** An asset as it was read or written, with the ETag of this version. */
export interface Versioned {
  asset: Asset;
  etag: string;
}

/** What only who creates an asset, or takes it over, gets: `token` is shown this once. */
export interface Created extends Versioned {
  token: string;
}

export interface ChangeOptions extends CallOptions {
  /** The owner token; a concierge or administrator sends none. */
  token?: string;
  /** ETag of the version that is to be changed; Conflict when the asset has another. */
  ifMatch?: string;
}

/** What is to change of one asset of several that are changed as one. */
export type MemberChange = AssetPatch & {
  id: string;
  /** The ETag of the version that is to be changed. */
  etag?: string;
};

/** What a write would make, when it is tried only: there is no version of it. */
export interface Tried<As = TriedAsset> {
  asset: As;
}

/** The write is checked and not made. */
export interface DryRun {
  dryRun: true;
}

/** With `code` another broker takes an asset over; it is shown this once. */
export interface Transfer {
  code: string;
  /** From this instant on it is refused. */
  expires: string;
}

/** The count of a range of the feed and the exclusive or of its entries' digests; see docs of the registry. */
export interface Digest {
  from: string;
  to: string;
  count: number;
  /** 32 hex digits. */
  digest: string;
  epoch: string;
}
