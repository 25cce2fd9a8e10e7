import { type Checkpoint, TILE_WIDTH, tilesOf, TreeRoot } from 'asset-registry-client';
import type { SeenHead, SeenLog } from '../../copies/seen-log.js';
import { entryIn, LogRefuted, shownEntry } from './refuted.js';
import { hashesAt, inOrder, type LogSource, pieceAt } from './source.js';

/** How many of the first entries are the same in what was seen and in what is served. */
export async function commonEntries(
  source: LogSource,
  seen: SeenLog,
  head: SeenHead,
  checkpoint: Checkpoint,
): Promise<number> {
  const most = Math.min(head.size, checkpoint.size);
  for await (const { tile, hashes } of tilesFrom(source, checkpoint.size)) {
    const first = tile.number * TILE_WIDTH;
    if (first >= most) break;
    const differs = firstDifference(await seen.tile(tile.number), hashes.slice(0, most - first));
    if (differs !== undefined) return first + differs;
  }
  return most;
}

/** @param kept of a tile that was seen; undefined: nothing is the same @returns the number of the first hash that it does not have */
export function firstDifference(kept: Buffer | undefined, hashes: readonly Buffer[]): number | undefined {
  const at = hashes.findIndex((one, i) => !kept?.subarray(i * one.length, (i + 1) * one.length).equals(one));
  return at === -1 ? undefined : at;
}

/** What happened to a log that does not begin with what was seen of it. @param place of the first entry that is not the same */
export async function changedPast(
  source: LogSource,
  seen: SeenLog,
  head: SeenHead,
  checkpoint: Checkpoint,
  place: number,
): Promise<LogRefuted> {
  const number = Math.floor(place / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, checkpoint.size - number * TILE_WIDTH);
  const { hashes, entries } = await pieceAt(source, { level: 0, number, width });
  const [now, was] = [hashes[place % TILE_WIDTH], hashIn(await seen.tile(number), place % TILE_WIDTH)];
  const { isMoved, isSigned } = await servedTree(source, checkpoint, was);
  const isOld = now !== undefined && (await isSeen(seen, head.size, now));
  return new LogRefuted(
    `The log has another past than the one that was seen (${head.size} entries then, ${checkpoint.size} now; ${isSigned ? BOTH_SIGNED : NOT_SIGNED}): ` +
      `${shownEntry(place, entryIn(entries[place % TILE_WIDTH]))} is the first that is not what it was: ${happened(isMoved, isOld)}`,
    place,
  );
}

const BOTH_SIGNED = 'both are signed';
const NOT_SIGNED = 'the tree that is served is not the one that was signed';

function happened(isMoved: boolean, isOld: boolean): string {
  if (isMoved && isOld) return 'entries were put in another order';
  if (isMoved) return 'it was put in before others';
  return isOld ? 'the one that stood there was deleted' : 'it was changed';
}

/** The root of the first so many entries that were seen; undefined where some are not there any more. */
export async function seenRoot(seen: SeenLog, size: number): Promise<Buffer | undefined> {
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

/** Whether a hash is in what is served, and whether that is what the checkpoint was signed for. */
async function servedTree(
  source: LogSource,
  { size, root }: Checkpoint,
  hash: Buffer | undefined,
): Promise<{ isMoved: boolean; isSigned: boolean }> {
  const tree = new TreeRoot();
  let isMoved = false;
  for await (const { hashes } of tilesFrom(source, size))
    for (const one of hashes) {
      tree.add(one);
      if (hash !== undefined && one.equals(hash)) isMoved = true;
    }
  return { isMoved, isSigned: tree.root().equals(root) };
}

async function isSeen(seen: SeenLog, size: number, hash: Buffer): Promise<boolean> {
  for (const { number, width } of tilesOf(size)) {
    const kept = await seen.tile(number);
    for (let i = 0; i < width; i++) if (hashIn(kept, i)?.equals(hash)) return true;
  }
  return false;
}

function tilesFrom(source: LogSource, size: number): AsyncGenerator<{ tile: { number: number }; hashes: Buffer[] }> {
  return inOrder(tilesOf(size), async (tile) => ({ tile, hashes: await hashesAt(source, tile) }));
}
