export {
  type Checkpoint,
  checkpointText,
  isCosigned,
  readCheckpoint,
  type SignedCheckpoint,
  timeOf,
  verifyCheckpoint,
} from './checkpoint.js';
export { commitmentOf, erasedOpening, isBound, SECRET_BYTES } from './commitment.js';
export {
  NO_COMMITMENT,
  faultOf,
  instantUs,
  laterErasures,
  type LogEntry,
  ownErasures,
  readEntry,
  type ListedErasure,
  listedErasures,
} from './entry.js';
export { LogError } from './log-error.js';
export { hasDuplicateName } from './duplicate-names.js';
export { filledTiles, LogTree, type ReadHashes, type TileHash } from './log-tree.js';
export {
  keyId,
  type Note,
  type NoteSignature,
  readableSignatures,
  readNote,
  readVerifierKey,
  renamedKey,
  signatureLine,
  type VerifierKey,
} from './note.js';
export type { Opening } from './opened-state.js';
export { escaped, pointerParts } from './pointers.js';
export { type LogProof, printProof, readProof, type VerifiedProof, verifyProof, verifyState } from './proof.js';
export {
  bundleOf,
  bundlePath,
  entriesOf,
  hashesAt,
  hashesOf,
  type NamedTile,
  parseTilePath,
  type Tile,
  TILE_WIDTH,
  tilePath,
  tilesOf,
} from './tiles.js';
export { HASH_BYTES, isConsistent, isIncluded, leafHash, nodeHash, rootOf, TreeRoot } from './tree.js';
