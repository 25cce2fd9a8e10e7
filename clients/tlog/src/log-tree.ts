import { nodeHash, rootOf } from './tree.js';
import { hashesAt, TILE_WIDTH } from './tiles.js';

/*
 * The tree of a log, from hashes stored in tiles.
 */

const TILE_HEIGHT = 8;

/** Reads hashes of a level: at level 0 those of entries, above it those of full tiles of the level below. */
export type ReadHashes = (level: number, from: number, count: number) => Promise<Buffer[]>;

/** The hash of a full tile: at `place` of `level`, which is at least 1. */
export interface TileHash {
  level: number;
  place: number;
  hash: Buffer;
}

/** The hashes of the tiles that new leaves fill. @param size of the tree before them */
export async function filledTiles(read: ReadHashes, size: number, leaves: readonly Buffer[]): Promise<TileHash[]> {
  const filled: TileHash[] = [];
  let [from, added] = [size, leaves];
  for (let level = 1; added.length > 0; level++) {
    const begun = from % TILE_WIDTH;
    const before = added.length + begun < TILE_WIDTH ? [] : await read(level - 1, from - begun, begun);
    const all = [...before, ...added];
    const first = (from - begun) / TILE_WIDTH;
    const hashes: Buffer[] = [];
    for (let end = TILE_WIDTH; end <= all.length; end += TILE_WIDTH)
      hashes.push(rootOf(all.slice(end - TILE_WIDTH, end)));
    filled.push(...hashes.map((one, i) => ({ level, place: first + i, hash: one })));
    [from, added] = [first, hashes];
  }
  return filled;
}

/** The tree of a size, read tile by tile: about 256 hashes for each factor of 256. */
export class LogTree {
  private readonly tiles = new Map<string, Promise<Buffer[]>>();

  constructor(
    private readonly read: ReadHashes,
    readonly size: number,
  ) {}

  /** The root of the first `size` leaves, 32 bytes. @throws the errors of `read` */
  root(size = this.size): Promise<Buffer> {
    return size === 0 ? Promise.resolve(rootOf([])) : this.range(0, size);
  }

  /** Hashes from the leaf's sibling up (RFC 6962, section 2.1.1). @param place of the leaf, below the size @throws the errors of `read` */
  async inclusionProof(place: number): Promise<Buffer[]> {
    const proof: Buffer[] = [];
    let [from, to] = [0, this.size];
    while (to - from > 1) {
      const middle = from + largestPowerBelow(to - from);
      proof.push(await (place < middle ? this.range(middle, to) : this.range(from, middle)));
      if (place < middle) to = middle;
      else from = middle;
    }
    return proof.toReversed();
  }

  /** Proves that a smaller tree is a prefix of this one (RFC 6962, section 2.1.2). @param old its size, from 1 up to this one's @throws the errors of `read` */
  async consistencyProof(old: number): Promise<Buffer[]> {
    const proof: Buffer[] = [];
    let [from, to, isWhole] = [0, this.size, true];
    while (old < to) {
      const middle = from + largestPowerBelow(to - from);
      if (old <= middle) {
        proof.push(await this.range(middle, to));
        to = middle;
      } else {
        proof.push(await this.range(from, middle));
        [from, isWhole] = [middle, false];
      }
    }
    if (!isWhole) proof.push(await this.range(from, to));
    return proof.toReversed();
  }

  private async range(from: number, to: number): Promise<Buffer> {
    const count = to - from;
    const part = largestPowerBelow(count);
    if (count > 1 && part * 2 !== count)
      return nodeHash(await this.range(from, from + part), await this.range(from + part, to));
    return this.subtree(Math.log2(count), from);
  }

  /** @param height of a full subtree, whose first leaf is at `from` */
  private async subtree(height: number, from: number): Promise<Buffer> {
    const level = Math.floor(height / TILE_HEIGHT);
    const first = from / TILE_WIDTH ** level;
    const tile = Math.floor(first / TILE_WIDTH);
    const start = first - tile * TILE_WIDTH;
    return rootOf((await this.tile(level, tile)).slice(start, start + 2 ** (height % TILE_HEIGHT)));
  }

  private tile(level: number, tile: number): Promise<Buffer[]> {
    const key = `${level} ${tile}`;
    const known = this.tiles.get(key);
    if (known !== undefined) return known;
    const from = tile * TILE_WIDTH;
    const reading = this.read(level, from, Math.min(TILE_WIDTH, hashesAt(level, this.size) - from));
    this.tiles.set(key, reading);
    return reading;
  }
}

/** The largest power of two below `count`; 1 for 1. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
