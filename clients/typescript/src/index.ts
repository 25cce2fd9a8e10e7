/* What the package offers. */
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
  UnexpectedAnswer,
} from './errors.js';
export type { FeedOptions, PageOptions } from './feed.js';
export { readCheckpoint, type Checkpoint, type SignedCheckpoint, verifyCheckpoint } from './log/checkpoint.js';
export { isBound, type Opening } from './log/commitment.js';
export {
  BINDS_NOTHING,
  faultOf,
  instantUs,
  laterErasures,
  type LogEntry,
  readEntry,
  type ToldErasure,
  ownErasures,
  toldErasures,
} from './log/entry.js';
export { LogError } from './log/log-error.js';
export type { LogFiles, LogIdentity } from './log/log-files.js';
export type { LoggedState, LogPage, Unlogged } from './log/log-page.js';
export { readVerifierKey, renamedKey, type VerifierKey } from './log/note.js';
export { type LogProof, readProof, type VerifiedProof, verifyProof, verifyState } from './log/proof.js';
export { bundlePath, entriesOf, hashesOf, type Tile, TILE_WIDTH, tilePath, tilesOf } from './log/tiles.js';
export { isConsistent, isIncluded, leafHash, nodeHash, rootOf, TreeRoot } from './log/tree.js';
export type { Entry, Page } from './page.js';
export { RegistryClient } from './registry-client.js';
export type { RegistryType } from './registry-types.js';
export type { OnWait, Wait, WaitReason } from './repeats.js';
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
