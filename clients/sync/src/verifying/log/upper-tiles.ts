import { NotFound } from 'asset-registry-client';
import { rootOf, type Tile, tilesOf, TILE_WIDTH } from 'asset-registry-tlog';
import { LogRefuted } from './refuted.js';
import { hashesAt, inOrder, type LogSource } from './source.js';

/**
 * Checks that the hashes of higher levels are the roots of the tiles below them: mirrors store them, and proofs contain them.
 * @param size of the log
 * @param roots of its full, verified tiles of level 0; as text, because a buffer would retain its whole allocation
 * @throws LogRefuted for the first that differs or is missing
 */
export async function checkUpperTiles(source: LogSource, size: number, roots: readonly string[]): Promise<void> {
  let expected = roots;
  for (let level = 1; expected.length > 0; level++) {
    const above: string[] = [];
    for await (const hashes of inOrder(tilesOf(size, level), (tile) => checkedTile(source, tile, expected)))
      if (hashes.length === TILE_WIDTH) above.push(shown(rootOf(hashes)));
    expected = above;
  }
}

/** @param expected the expected hashes of the whole level */
async function checkedTile(source: LogSource, tile: Tile, expected: readonly string[]): Promise<Buffer[]> {
  const first = tile.number * TILE_WIDTH;
  const expectedHere = expected.slice(first, first + tile.width);
  const hashes = (await served(source, tile)) ?? (await firstHashes(source, tile));
  const at = expectedHere.findIndex((one, i) => hashes[i] === undefined || shown(hashes[i]) !== one);
  if (at === -1) return hashes;
  const place = first + at;
  const entries = TILE_WIDTH ** tile.level;
  throw new LogRefuted(
    `The hash at place ${place} of level ${tile.level} of the log, which is the root of the entries at places ${place * entries} to ${(place + 1) * entries - 1}, ` +
      `${hashes[at] === undefined ? 'is not served' : `is ${shown(hashes[at])}`}: the signed entries give ${expectedHere[at]}`,
    place * entries,
  );
}

/** Finds the hashes before the first missing one, in the narrower versions of an incomplete tile. */
async function firstHashes(source: LogSource, tile: Tile): Promise<Buffer[]> {
  let found: Buffer[] = [];
  let missingWidth = tile.width;
  while (missingWidth - found.length > 1) {
    const width = Math.floor((found.length + missingWidth) / 2);
    const hashes = await served(source, { ...tile, width });
    if (hashes === undefined) missingWidth = width;
    else found = hashes;
  }
  return found;
}

/** @returns undefined if it is missing */
function served(source: LogSource, tile: Tile): Promise<Buffer[] | undefined> {
  return hashesAt(source, tile).catch((error: Error) => {
    if (error.cause instanceof NotFound) return undefined;
    throw error;
  });
}

/** Base64, as in the registry's table. */
export function shown(hash: Buffer): string {
  return hash.toString('base64');
}
