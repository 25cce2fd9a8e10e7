import { type Checkpoint, leafHash, TILE_WIDTH, tilesOf, TreeRoot } from 'asset-registry-tlog';
import type { VerifiedHead, VerifiedLogStore } from '../../copies/log-store.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';
import { hashesAt, inOrder, type LogSource, readLoggedTile } from './source.js';

/** The length of the common prefix of the verified and the served log. */
export async function commonEntries(
  source: LogSource,
  store: VerifiedLogStore,
  head: VerifiedHead,
  checkpoint: Checkpoint,
): Promise<number> {
  const commonSize = Math.min(head.size, checkpoint.size);
  for await (const { tile, hashes } of tilesFrom(source, checkpoint.size)) {
    const first = tile.number * TILE_WIDTH;
    if (first >= commonSize) break;
    const differs = firstDifference(await store.tile(tile.number), hashes.slice(0, commonSize - first));
    if (differs !== undefined) return first + differs;
  }
  return commonSize;
}

/** @param stored stored tile; undefined if there is none @returns index of the first hash that differs */
export function firstDifference(stored: Buffer | undefined, hashes: readonly Buffer[]): number | undefined {
  const at = hashes.findIndex((one, i) => !stored?.subarray(i * one.length, (i + 1) * one.length).equals(one));
  return at === -1 ? undefined : at;
}

/** The refutation of a log that does not begin with the verified entries. @param place index of the first difference */
export async function changedPast(
  source: LogSource,
  store: VerifiedLogStore,
  head: VerifiedHead,
  checkpoint: Checkpoint,
  place: number,
): Promise<LogRefuted> {
  const number = Math.floor(place / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, checkpoint.size - number * TILE_WIDTH);
  const { hashes, entries } = await readLoggedTile(source, { level: 0, number, width });
  const [now, was] = [hashes[place % TILE_WIDTH], hashIn(await store.tile(number), place % TILE_WIDTH)];
  const { isMoved, isSigned } = await servedTree(source, checkpoint, was);
  const isOld = now !== undefined && (await hasHash(store, head.size, now));
  return new LogRefuted(
    `The log does not begin with the verified entries (${head.size} then, ${checkpoint.size} now; ${isSigned ? BOTH_SIGNED : NOT_SIGNED}): ` +
      `${shownEntry(place, entryIn(entries[place % TILE_WIDTH]))} is the first that differs: ${describeChange(isMoved, isOld)}`,
    place,
  );
}

const BOTH_SIGNED = 'both are signed';
const NOT_SIGNED = 'the served tree is not the signed one';

function describeChange(isMoved: boolean, isOld: boolean): string {
  if (isMoved && isOld) return 'entries were reordered';
  if (isMoved) return 'it was inserted';
  return isOld ? 'the entry at this place was deleted' : 'it was changed';
}

/** The root of the first `size` verified entries; undefined if some hashes are missing. */
export async function verifiedRoot(store: VerifiedLogStore, size: number): Promise<Buffer | undefined> {
  const tree = new TreeRoot();
  for (const { number, width } of tilesOf(size)) {
    const stored = await store.tile(number);
    if (stored === undefined || stored.length < width * HASH_BYTES) return undefined;
    for (let i = 0; i < width; i++) tree.add(hashIn(stored, i) as Buffer);
  }
  return tree.root();
}

const HASH_BYTES = 32;

function hashIn(tile: Buffer | undefined, at: number): Buffer | undefined {
  return tile?.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
}

/** Whether the served tree contains a hash, and whether it matches the signed checkpoint. */
async function servedTree(
  source: LogSource,
  { size, root }: Checkpoint,
  hash: Buffer | undefined,
): Promise<{ isMoved: boolean; isSigned: boolean }> {
  const tree = new TreeRoot();
  let isMoved = false;
  try {
    for await (const { hashes } of tilesFrom(source, size))
      for (const one of hashes) {
        tree.add(one);
        if (hash !== undefined && one.equals(hash)) isMoved = true;
      }
  } catch (error) {
    // An incompletely served tree was not signed, and the first difference is known.
    if (!(error instanceof LogRefuted)) throw error;
  }
  return { isMoved, isSigned: tree.root().equals(root) };
}

async function hasHash(store: VerifiedLogStore, size: number, hash: Buffer): Promise<boolean> {
  for (const { number, width } of tilesOf(size)) {
    const stored = await store.tile(number);
    for (let i = 0; i < width; i++) if (hashIn(stored, i)?.equals(hash)) return true;
  }
  return false;
}

function tilesFrom(source: LogSource, size: number): AsyncGenerator<{ tile: { number: number }; hashes: Buffer[] }> {
  return inOrder(tilesOf(size), async (tile) => ({ tile, hashes: await hashesAt(source, tile) }));
}

/**
 * Adds to the refutation for a missing tile the first entry that the pages lack.
 * @param refuted reports the missing tile
 * @param verifiedSize number of verified entries
 * @param size of the log
 */
export async function missingEntry(
  source: LogSource,
  store: VerifiedLogStore,
  verifiedSize: number,
  size: number,
  refuted: LogRefuted,
): Promise<LogRefuted> {
  const first = refuted.place as number;
  const stored = (await store.tile(first / TILE_WIDTH))?.subarray(0, Math.max(0, verifiedSize - first) * HASH_BYTES);
  const place = await firstMissing(source, stored, first, Math.min(first + TILE_WIDTH, size));
  if (place === undefined) return refuted;
  const which = `the first that is missing or different is ${shownEntry(place, undefined)}`;
  return new LogRefuted(`${refuted.message}; ${which}`, place, { cause: refuted.cause });
}

/** @param stored hashes from `first` on @returns undefined if the pages have all of them, or cannot be read */
async function firstMissing(
  source: LogSource,
  stored: Buffer | undefined,
  first: number,
  end: number,
): Promise<number | undefined> {
  let place = first;
  try {
    while (place < end) {
      const { states } = await source.page(place, { limit: end - place });
      for (const state of states) {
        const was = hashIn(stored, place - first);
        const isOther = was !== undefined && was.length > 0 && !leafHash(state.text).equals(was);
        if (state.place !== place || isOther) return place;
        place++;
      }
      if (states.length === 0) return place;
    }
  } catch {
    // The pages only add detail: the log is refuted without them too.
  }
  return undefined;
}
