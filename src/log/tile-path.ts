import { TILE_WIDTH } from './tree.js';

/** Which tile is asked for, and how much of it. */
export interface WantedTile {
  /** Undefined for a bundle of entries. */
  level: number | undefined;
  /** Its place in the level, from 0. */
  tile: number;
  /** How many hashes or entries of it, from 1 to 256. */
  width: number;
}

/** Both have no zeroes in front; a place is written in groups of three digits, all but the last behind an `x`. */
const TILE = /^(?<level>entries|0|[1-9]\d?)\/(?<place>(?:x\d{3}\/){0,5}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;
const MOST_LEVEL = 63;

/** Reads the path of a tile. @param path behind `tile/` @returns undefined where it is none of C2SP tlog-tiles */
export function parseTilePath(path: string): WantedTile | undefined {
  const { level = '', place = '', width = String(TILE_WIDTH) } = TILE.exec(path)?.groups ?? {};
  const isPadded = place.startsWith('x000/');
  const isPart = path.includes('.p/');
  if (level === '' || isPadded || Number(width) > TILE_WIDTH || (isPart && Number(width) === TILE_WIDTH))
    return undefined;
  if (level !== 'entries' && Number(level) > MOST_LEVEL) return undefined;
  return {
    level: level === 'entries' ? undefined : Number(level),
    tile: Number(place.replaceAll(/[x/]/g, '')),
    width: Number(width),
  };
}
