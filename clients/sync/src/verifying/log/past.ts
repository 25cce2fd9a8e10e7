import { type Checkpoint, leafHash, TILE_WIDTH, tilesOf, TreeRoot } from 'asset-registry-tlog';
import type { VerifiedHead, VerifiedLogStore } from '../../copies/log-store.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';
import { hashesAt, inOrder, type LogSource, readLoggedTile } from './source.js';

/** The length of the common prefix of the verified and the served log. */
export async function commonEntries(
  source: LogSource,
  seen: VerifiedLogStore,
  head: VerifiedHead,
  checkpoint: Checkpoint,
): Promise<number> {
  const commonSize = Math.min(head.size, checkpoint.size);
  for await (const { tile, hashes } of tilesFrom(source, checkpoint.size)) {
    const first = tile.number * TILE_WIDTH;
    if (first >= commonSize) break;
    const differs = firstDifference(await seen.tile(tile.number), hashes.slice(0, commonSize - first));
    if (differs !== undefined) return first + differs;
  }
  return commonSize;
}

/** @param kept stored tile; undefined: nothing in common @returns index of the first hash that differs */
export function firstDifference(kept: Buffer | undefined, hashes: readonly Buffer[]): number | undefined {
  const at = hashes.findIndex((one, i) => !kept?.subarray(i * one.length, (i + 1) * one.length).equals(one));
  return at === -1 ? undefined : at;
}

/** Describes the change of a log that does not begin with the verified entries. @param place index of the first difference */
export async function changedPast(
  source: LogSource,
  seen: VerifiedLogStore,
  head: VerifiedHead,
  checkpoint: Checkpoint,
  place: number,
): Promise<LogRefuted> {
  const number = Math.floor(place / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, checkpoint.size - number * TILE_WIDTH);
  const { hashes, entries } = await readLoggedTile(source, { level: 0, number, width });
  const [now, was] = [hashes[place % TILE_WIDTH], hashIn(await seen.tile(number), place % TILE_WIDTH)];
  const { isMoved, isSigned } = await servedTree(source, checkpoint, was);
  const isOld = now !== undefined && (await isSeen(seen, head.size, now));
  return new LogRefuted(
    `The log has another past than the one that was seen (${head.size} entries then, ${checkpoint.size} now; ${isSigned ? BOTH_SIGNED : NOT_SIGNED}): ` +
      `${shownEntry(place, entryIn(entries[place % TILE_WIDTH]))} is the first that is not what it was: ${describeChange(isMoved, isOld)}`,
    place,
  );
}

const BOTH_SIGNED = 'both are signed';
const NOT_SIGNED = 'the tree that is served is not the one that was signed';

function describeChange(isMoved: boolean, isOld: boolean): string {
  if (isMoved && isOld) return 'entries were put in another order';
  if (isMoved) return 'it was put in before others';
  return isOld ? 'the one that stood there was deleted' : 'it was changed';
}

/** The root of the first `size` verified entries; undefined if some hashes are missing. */
export async function verifiedRoot(seen: VerifiedLogStore, size: number): Promise<Buffer | undefined> {
  const tree = new TreeRoot();
  for (const { number, width } of tilesOf(size)) {
    const kept = await seen.tile(number);
    if (kept === undefined || kept.length < width * HASH_BYTES) return undefined;
    for (let i = 0; i < width; i++) tree.add(hashIn(kept, i) as Buffer);
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

async function isSeen(seen: VerifiedLogStore, size: number, hash: Buffer): Promise<boolean> {
  for (const { number, width } of tilesOf(size)) {
    const kept = await seen.tile(number);
    for (let i = 0; i < width; i++) if (hashIn(kept, i)?.equals(hash)) return true;
  }
  return false;
}

function tilesFrom(source: LogSource, size: number): AsyncGenerator<{ tile: { number: number }; hashes: Buffer[] }> {
  return inOrder(tilesOf(size), async (tile) => ({ tile, hashes: await hashesAt(source, tile) }));
}

/**
 * Finds the entry for which a tile is missing.
 * @param refuted reports the missing tile
 * @param seenSize number of verified entries
 * @param size of the log
 */
export async function describeMissing(
  source: LogSource,
  seen: VerifiedLogStore,
  seenSize: number,
  size: number,
  refuted: LogRefuted,
): Promise<LogRefuted> {
  const first = refuted.place as number;
  const kept = (await seen.tile(first / TILE_WIDTH))?.subarray(0, Math.max(0, seenSize - first) * HASH_BYTES);
  const place = await firstMissing(source, kept, first, Math.min(first + TILE_WIDTH, size));
  if (place === undefined) return refuted;
  const which = `the first of them that is gone, or another one, is ${shownEntry(place, undefined)}`;
  return new LogRefuted(`${refuted.message}; ${which}`, place, { cause: refuted.cause });
}

/** @param kept hashes from `first` on @returns undefined if the pages have all of them, or cannot tell */
async function firstMissing(
  source: LogSource,
  kept: Buffer | undefined,
  first: number,
  end: number,
): Promise<number | undefined> {
  let place = first;
  try {
    while (place < end) {
      const { states } = await source.page(place, { limit: end - place });
      for (const state of states) {
        const was = hashIn(kept, place - first);
        const isOther = was !== undefined && was.length > 0 && !leafHash(state.text).equals(was);
        if (state.place !== place || isOther) return place;
        place++;
      }
      if (states.length === 0) return place;
    }
  } catch {
    // The log is refuted regardless of the pages.
  }
  return undefined;
}
