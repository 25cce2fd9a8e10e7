import type { Copy, Range } from '../copies/copy.js';
import { printUs } from '../instants.js';
import { Sum } from './sum.js';

/** Ranges of at most this many rows are compared row by row. */
const MAX_ROWS = 1_000;

/** A range, with the counts of registry and copy. */
interface Counted {
  range: Range;
  registry: Sum;
  copy: Sum;
}

/** Requests the digest of a range; 0 stands for the feed's beginning. Each call is one request. */
type RequestSum = (range: Range) => Promise<Sum>;

/**
 * Finds small ranges in which copy and registry differ, by bisection: the sum of one half follows from the other half and the whole, so each step
 * costs one request.
 */
export async function narrow(copy: Copy, whole: Range, requestSum: RequestSum): Promise<Range[]> {
  const found: Range[] = [];
  const waiting: Counted[] = [{ range: whole, registry: await requestSum(whole), copy: await Sum.of(copy, whole) }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.registry.equals(next.copy)) continue;
    const halves = await halve(copy, next, requestSum);
    if (halves === undefined) found.push(next.range);
    else waiting.push(...halves);
  }
  return found;
}

/** Splits at the copy's median. @returns undefined for a range that is small enough */
async function halve(
  copy: Copy,
  { range, registry, copy: own }: Counted,
  requestSum: RequestSum,
): Promise<Counted[] | undefined> {
  if (own.count <= MAX_ROWS) return undefined;
  const middleUs = await copy.feedUsAt(range, Math.floor((own.count - 1) / 2));
  // Rows with equal instants, or instants before 1970, can only be damaged; they cannot be separated by instant.
  if (middleUs === undefined || middleUs < 0 || middleUs >= range.upToUs) return undefined;
  const [first, second] = [
    { afterUs: range.afterUs, upToUs: middleUs },
    { afterUs: middleUs, upToUs: range.upToUs },
  ];
  const left = { range: first, registry: await requestSum(first), copy: await Sum.of(copy, first) };
  return [{ range: second, registry: registry.without(left.registry), copy: own.without(left.copy) }, left];
}

/** A range as parameters of a request. */
export function boundsOf({ afterUs, upToUs }: Range): { from: string; to: string } {
  return { from: afterUs < 0 ? '' : printUs(afterUs), to: printUs(upToUs) };
}
