/* What the package offers. */
export type * from './asset-types.js';
export type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  Created,
  Digest,
  DryRun,
  MemberChange,
  Transfer,
  Tried,
  Versioned,
} from './calls.js';
export type { Change, Changes } from './changes.js';
export {
  Conflict,
  ConnectionFailed,
  EpochChanged,
  type Fault,
  Forbidden,
  Invalid,
  NotFound,
  RateLimited,
  RegistryError,
  Unauthorized,
  Unavailable,
} from './errors.js';
export type { FeedOptions, PageOptions } from './feed.js';
export type { Entry, Page } from './page.js';
export { RegistryClient } from './registry-client.js';
export type { RegistryType } from './registry-types.js';
export type { OnWait, Wait, WaitReason } from './repeats.js';
export type { FacetName, SearchFilter, SearchOptions, SearchOrder, SearchPage, SearchPageOptions } from './search.js';
export type { Snapshot } from './snapshot.js';
