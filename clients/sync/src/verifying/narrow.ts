import type { Copy, Range } from '../copies/copy.js';
import { printUs } from '../instants.js';
import { Sum } from './sum.js';

/** As many are compared one by one. */
const FEW = 1_000;

/** A range, as the registry and as the copy count it. */
interface Counted {
  range: Range;
  registry: Sum;
  copy: Sum;
}

/** Asks the registry for a range: 0 stands for its beginning. Each call is one request. */
type AskSum = (range: Range) => Promise<Sum>;

/**
 * Finds ranges of few rows in which copy and registry differ, by halves: what one half sums up to follows from the other half and the
 * whole, so each halving costs one request.
 */
export async function narrow(copy: Copy, whole: Range, ask: AskSum): Promise<Range[]> {
  const found: Range[] = [];
  const waiting: Counted[] = [{ range: whole, registry: await ask(whole), copy: await Sum.of(copy, whole) }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.registry.equals(next.copy)) continue;
    const halves = await halve(copy, next, ask);
    if (halves === undefined) found.push(next.range);
    else waiting.push(...halves);
  }
  return found;
}

/** At the copy's own median. @returns undefined for a range that is small enough */
async function halve(copy: Copy, { range, registry, copy: own }: Counted, ask: AskSum): Promise<Counted[] | undefined> {
  if (own.count <= FEW) return undefined;
  const middleUs = await copy.feedUsAt(range, Math.floor((own.count - 1) / 2));
  // Rows at the same place, or before the beginning of time, can only be damaged: they are not told apart by place.
  if (middleUs === undefined || middleUs < 0 || middleUs >= range.upToUs) return undefined;
  const [first, second] = [
    { afterUs: range.afterUs, upToUs: middleUs },
    { afterUs: middleUs, upToUs: range.upToUs },
  ];
  const left = { range: first, registry: await ask(first), copy: await Sum.of(copy, first) };
  return [{ range: second, registry: registry.without(left.registry), copy: own.without(left.copy) }, left];
}

/** How the registry takes a range. */
export function boundsOf({ afterUs, upToUs }: Range): { from: string; to: string } {
  return { from: afterUs < 0 ? '' : printUs(afterUs), to: printUs(upToUs) };
}
