import { LogError } from './log-error.js';
import { HASH_BYTES } from './tree.js';

/*
 * Tiles of a log (c2sp.org/tlog-tiles).
 */

/** Hashes or entries of a full tile. */
export const TILE_WIDTH = 256;
const LENGTH_BYTES = 2;
/** Level and width have no leading zeros. The number has groups of three digits, all but the last prefixed with `x`. */
const TILE = /^(?<level>entries|0|[1-9]\d?)\/(?<digits>(?:x\d{3}\/){0,5}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;
const MAX_LEVEL = 63;
/** Longer than any entry that the registry writes. */
const MAX_ENTRY_BYTES = 2 ** (8 * LENGTH_BYTES) - 1;

/** A tile of hashes. Its width is less than 256 only at the end of a level. */
export interface Tile {
  /** 0 for the hashes of entries. */
  level: number;
  number: number;
  width: number;
}

/** The number of hashes at a level, in a tree of a size. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tiles of a level, in a log of a size, starting with the one of an entry. */
export function* tilesOf(size: number, level = 0, from = 0): Generator<Tile> {
  const hashes = hashesAt(level, size);
  for (let number = Math.floor(from / TILE_WIDTH ** (level + 1)); number * TILE_WIDTH < hashes; number++)
    yield { level, number, width: Math.min(TILE_WIDTH, hashes - number * TILE_WIDTH) };
}

/** A tile's path below the log's address: `tile/0/x001/234`, `tile/1/000.p/7`. */
export function tilePath(tile: Tile): string {
  return `tile/${tile.level}/${numberPath(tile)}`;
}

/** The path of the bundle of entries of a tile of level 0. */
export function bundlePath(tile: Tile): string {
  return `tile/entries/${numberPath(tile)}`;
}

/** A parsed tile path. The level is undefined for a bundle of entries. */
export interface NamedTile extends Omit<Tile, 'level'> {
  level: number | undefined;
}

/** Parses the path of a tile (C2SP tlog-tiles). @param path after `tile/` @returns undefined if it is malformed */
export function parseTilePath(path: string): NamedTile | undefined {
  const { level: kind = '', digits = '', width: part } = TILE.exec(path)?.groups ?? {};
  const isPadded = digits.startsWith('x000/');
  const width = Number(part ?? TILE_WIDTH);
  const isWidthValid = part === undefined || width < TILE_WIDTH;
  const level = kind === 'entries' ? undefined : Number(kind);
  if (kind === '' || isPadded || !isWidthValid || Number(level ?? 0) > MAX_LEVEL) return undefined;
  return { level, number: Number(digits.replaceAll(/[x/]/g, '')), width };
}

/** Splits a tile into its hashes. @throws LogError if their number is wrong */
export function hashesOf(bytes: Buffer, { width }: Pick<Tile, 'width'>): Buffer[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new LogError(`A tile of ${width} hashes has ${bytes.length} bytes instead of ${width * HASH_BYTES}`);
  return Array.from({ length: width }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
}

/** Splits a bundle into its entries. @throws LogError if their number is wrong */
export function entriesOf(bytes: Buffer, { width }: Pick<Tile, 'width'>): Buffer[] {
  const entries: Buffer[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const end = at + LENGTH_BYTES + bytes.readUInt16BE(at);
    entries.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  if (at !== bytes.length || entries.length !== width)
    throw new LogError(`A bundle of ${width} entries has ${entries.length}, or is cut`);
  return entries;
}

/** Encodes a bundle of entries. Truncates an entry that is too long. */
export function bundleOf(entries: readonly string[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const text = Buffer.from(entry).subarray(0, MAX_ENTRY_BYTES);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(text.length);
      return [length, text];
    }),
  );
}

function numberPath({ number, width }: Tile): string {
  const digits = String(number);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const parts = padded.match(/\d{3}/g) as string[];
  const path = parts.map((part, i) => (i === parts.length - 1 ? part : `x${part}`)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}
