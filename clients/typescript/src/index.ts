/* The package's exports. */
export {
  NO_COMMITMENT,
  bundlePath,
  type Checkpoint,
  entriesOf,
  faultOf,
  hashesOf,
  instantUs,
  isBound,
  isConsistent,
  isIncluded,
  laterErasures,
  leafHash,
  type LogEntry,
  LogError,
  type LogProof,
  nodeHash,
  type Opening,
  ownErasures,
  readCheckpoint,
  readEntry,
  readProof,
  readVerifierKey,
  renamedKey,
  rootOf,
  type SignedCheckpoint,
  type Tile,
  TILE_WIDTH,
  tilePath,
  tilesOf,
  type ListedErasure,
  listedErasures,
  TreeRoot,
  type VerifiedProof,
  type VerifierKey,
  verifyCheckpoint,
  verifyProof,
  verifyState,
} from 'asset-registry-tlog';
export type * from './asset-parts.js';
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
  DryRunResult,
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
  UnexpectedAnswer,
} from './errors.js';
export type { FeedOptions, PageOptions } from './feed.js';
export type { FilteredPages } from './filtered-feed.js';
export type { LogFiles, LogIdentity } from './log/log-files.js';
export type { LoggedState, LogPage, Unlogged } from './log/log-page.js';
export type { Entry, Page } from './page.js';
export { RegistryClient } from './registry-client.js';
export type { RegistryType } from './registry-types.js';
export type { OnWait, Wait, WaitReason } from './retry-policy.js';
export type {
  FacetName,
  FeedFilter,
  SearchFilter,
  SearchOptions,
  SearchOrder,
  SearchPage,
  SearchPageOptions,
} from './search.js';
export type { Snapshot } from './snapshot.js';
