import { rangeBeyondEnd } from '../platform/errors/errors.js';

/** Bytes from `from` up to `to`, without `to` itself. */
export interface ByteRange {
  from: number;
  to: number;
}

/** One range. Several ranges, or a malformed one, are ignored (RFC 9110, 14.2). */
const ONE_RANGE = /^bytes=(?:(?<first>\d+)-(?<last>\d+)?|-(?<suffix>\d+))$/i;

/**
 * The part that a Range header asks for.
 * @returns undefined for the whole
 * @throws ApiError 416
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const { first, last, suffix } = ONE_RANGE.exec(header ?? '')?.groups ?? {};
  if (first === undefined && suffix === undefined) return undefined;
  const from = first === undefined ? Math.max(size - Number(suffix), 0) : Number(first);
  const to = last === undefined ? size : Math.min(Number(last) + 1, size);
  if (last !== undefined && Number(last) < from) return undefined;
  if (from >= size) throw rangeBeyondEnd(size);
  return { from, to };
}
