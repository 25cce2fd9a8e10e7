import { crc32 } from 'node:zlib';

/** A body as it is kept beside the one that came after it: only what the two do not share. */
export interface BodyDelta {
  /** What stands between `sameStart` and `sameEnd`; the whole body where both are 0. */
  body: string;
  /** With how much of the later body it begins, in bytes of UTF-8. */
  sameStart: number;
  /** With how much of the later body it ends, in bytes of UTF-8. */
  sameEnd: number;
  /** CRC-32 of the whole body, as a signed number. */
  checksum: number;
}

/** What of it a body is put together from. */
export type DeltaPart = Pick<BodyDelta, 'sameStart' | 'sameEnd'> & { body: Buffer };

/**
 * Every so many versions a body is kept whole, so that none is put together from more than this many rows. What is kept already is
 * read by this number: a smaller one would no longer reach the whole ones.
 */
export const WHOLE_EVERY = 8;
/** The same of a large body: to keep it whole as often would write most of a megabyte again for each small change. */
export const LARGE_WHOLE_EVERY = 64;
/** In characters. */
const LARGE = 16 * 1024;
/** Texts are compared by so many characters at once, then one by one: most have nearly all in common. */
const STEP = 256;

/** @param before the body of the version `version` @param after the body of the one after it */
export function bodyDelta(before: string, after: string, version: number): BodyDelta {
  const isLarge = before.length >= LARGE;
  if (version % (isLarge ? LARGE_WHOLE_EVERY : WHOLE_EVERY) === 0) return wholeBody(before);
  const start = sharedStart(before, after);
  const end = before.length - sharedEnd(before, after, start);
  // So all the differences up to the next whole body have fewer bytes than 8 bodies.
  if (isLarge && (end - start) * (LARGE_WHOLE_EVERY / WHOLE_EVERY) >= before.length) return wholeBody(before);
  return {
    body: before.slice(start, end),
    sameStart: Buffer.byteLength(before.slice(0, start)),
    sameEnd: Buffer.byteLength(before.slice(end)),
    checksum: checksumOf(before),
  };
}

function wholeBody(body: string): BodyDelta {
  return { body, sameStart: 0, sameEnd: 0, checksum: checksumOf(body) };
}

/** @param body text, or its bytes */
export function checksumOf(body: string | Buffer): number {
  return crc32(body) | 0;
}

/** A body in pieces, one behind the other: each may have a megabyte, of which two versions share nearly all. */
export type Pieces = readonly Buffer[];

/** The body that was kept. @param after that of the version after it; of no matter where it was kept whole */
export function restoreBody(kept: DeltaPart, after: Buffer): Buffer {
  return Buffer.concat(restorePieces(kept, [after]));
}

/** Restores a body as pieces of other buffers, without copying: of several bodies that follow from one another, only the last is joined. */
export function restorePieces({ body, sameStart, sameEnd }: DeltaPart, after: Pieces): Pieces {
  const bytes = after.reduce((sum, { length }) => sum + length, 0);
  return [...cut(after, 0, sameStart), body, ...cut(after, bytes - sameEnd, bytes)];
}

function cut(pieces: Pieces, from: number, to: number): Buffer[] {
  let at = 0;
  return pieces.flatMap((piece) => {
    const begin = at;
    at += piece.length;
    return begin < to && at > from ? [piece.subarray(Math.max(from - begin, 0), to - begin)] : [];
  });
}

export function isWhole({ sameStart, sameEnd }: DeltaPart): boolean {
  return sameStart === 0 && sameEnd === 0;
}

/** How many characters two texts begin with together; never half of one. */
function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count + STEP <= most && one.slice(count, count + STEP) === other.slice(count, count + STEP)) count += STEP;
  while (count < most && one.charCodeAt(count) === other.charCodeAt(count)) count++;
  return isFirstHalf(one.charCodeAt(count - 1)) ? count - 1 : count;
}

/** How many characters they end with together, behind the first `start`; never half of one. */
function sharedEnd(one: string, other: string, start: number): number {
  const most = Math.min(one.length, other.length) - start;
  const part = (text: string, end: number): string => text.slice(text.length - end, text.length - end + STEP);
  let count = 0;
  while (count + STEP <= most && part(one, count + STEP) === part(other, count + STEP)) count += STEP;
  while (count < most && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count)) count++;
  return isSecondHalf(one.charCodeAt(one.length - count)) ? count - 1 : count;
}

/** Characters beyond U+FFFF are two code units of a string, and four bytes that must not be cut. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
