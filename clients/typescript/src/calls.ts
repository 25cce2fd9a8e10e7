import type { Asset, AssetPatch, DryRunAsset } from './asset-types.js';
import type { OnWait } from './retry-policy.js';

/*
 * Options and results of the client's methods.
 */

export interface ClientOptions {
  /** API key of an account; reads need none. */
  key?: string;
  /** Aborts everything in progress; its reason is thrown. */
  signal?: AbortSignal;
  /** Called before each pause. */
  onWait?: OnWait;
  /**
   * Pause of `follow` at the end of the feed. By default the client long-polls, or, where that does not work, pauses for the registry's
   * `Backoff`.
   */
  pollMs?: number;
  /** Retries of one request before it fails, with growing pauses. Default 10 (about two minutes); Infinity suits services that follow the feed. */
  retries?: number;
  /** Prefix of the client's own User-Agent. */
  userAgent?: string;
}

export interface CallOptions {
  /** Aborts this call; its reason is thrown. */
  signal?: AbortSignal;
}

/** An asset as read or written, with the ETag of this version. */
export interface Versioned {
  asset: Asset;
  etag: string;
}

/** Result of creating an asset or taking it over: the only answer that contains the owner `token`. */
export interface Created extends Versioned {
  token: string;
}

export interface ChangeOptions extends CallOptions {
  /** The owner token; a concierge or administrator sends none. */
  token?: string;
  /** ETag of the version to change; throws Conflict if the asset has another version. */
  ifMatch?: string;
}

/** The change of one asset of a group. */
export type MemberChange = AssetPatch & {
  id: string;
  /** ETag of the version to change. */
  etag?: string;
};

/** Result of a dry run; it has no ETag. */
export interface DryRunResult<As = DryRunAsset> {
  asset: As;
}

/** The write is checked but not made. */
export interface DryRun {
  dryRun: true;
}

/** With `code` another broker takes an asset over; only this answer contains it. */
export interface Transfer {
  code: string;
  /** The code is refused from this instant on. */
  expires: string;
}

/** The count of a range of the feed, and the XOR of its entries' digests; see the registry's docs. */
export interface Digest {
  from: string;
  to: string;
  count: number;
  /** 32 hex digits. */
  digest: string;
  epoch: string;
}
