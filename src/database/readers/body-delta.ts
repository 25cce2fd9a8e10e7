import { crc32 } from 'node:zlib';

/** A body as its difference from the next version's body. */
export interface BodyDelta {
  /** The text between `sameStart` and `sameEnd`; the whole body if both are 0. */
  body: string;
  /** Length of the start shared with the next body, in bytes of UTF-8. */
  sameStart: number;
  /** Length of the end shared with the next body, in bytes of UTF-8. */
  sameEnd: number;
  /** CRC-32 of the whole body, as a signed number. */
  checksum: number;
}

/** The columns of a delta that restoring needs. */
export type DeltaPart = Pick<BodyDelta, 'sameStart' | 'sameEnd'> & { body: Buffer };

/**
 * Every eighth version is stored whole, so that a body is restored from at most 8 rows. Never lower this number: readers fetch only so many
 * rows, and would not reach the whole body in stored data.
 */
export const FULL_BODY_INTERVAL = 8;
/** The same for a large body, which would otherwise be written again too often for small changes. */
export const LARGE_FULL_BODY_INTERVAL = 64;
/** Minimum length of a large body, in characters. */
const LARGE_LENGTH = 16 * 1024;
/** Characters compared at once, because most of the text is equal. */
const STEP = 256;

/** @param before the body of `version` @param after the body of the next version */
export function bodyDelta(before: string, after: string, version: number): BodyDelta {
  const isLarge = before.length >= LARGE_LENGTH;
  if (version % (isLarge ? LARGE_FULL_BODY_INTERVAL : FULL_BODY_INTERVAL) === 0) return wholeBody(before);
  const start = sharedStart(before, after);
  const end = before.length - sharedEnd(before, after, start);
  // Limits the deltas up to the next whole body to the size of 8 bodies.
  if (isLarge && (end - start) * (LARGE_FULL_BODY_INTERVAL / FULL_BODY_INTERVAL) >= before.length)
    return wholeBody(before);
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

export function checksumOf(body: string | Buffer): number {
  return crc32(body) | 0;
}

/** Consecutive pieces of a body: slices of other versions' buffers, because two versions of a megabyte share nearly all. */
export type Pieces = readonly Buffer[];

/** @param after the next version's body; ignored if the delta is whole */
export function restoreBody(delta: DeltaPart, after: Buffer): Buffer {
  return Buffer.concat(restorePieces(delta, [after]));
}

/** Restores a body without copying, so that only the last one of a chain is joined. */
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

/** Length of the shared start; never splits a surrogate pair. */
function sharedStart(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let count = 0;
  while (count + STEP <= max && one.slice(count, count + STEP) === other.slice(count, count + STEP)) count += STEP;
  while (count < max && one.charCodeAt(count) === other.charCodeAt(count)) count++;
  return isHighSurrogate(one.charCodeAt(count - 1)) ? count - 1 : count;
}

/** Length of the shared end, after the first `start` characters; never splits a surrogate pair. */
function sharedEnd(one: string, other: string, start: number): number {
  const max = Math.min(one.length, other.length) - start;
  const part = (text: string, end: number): string => text.slice(text.length - end, text.length - end + STEP);
  let count = 0;
  while (count + STEP <= max && part(one, count + STEP) === part(other, count + STEP)) count += STEP;
  while (count < max && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count)) count++;
  return isLowSurrogate(one.charCodeAt(one.length - count)) ? count - 1 : count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
