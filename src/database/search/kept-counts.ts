import { LRUCache } from 'lru-cache';
import type { IndexFile } from './index-file.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** Counts over more entries are kept for some seconds, though the index changes meanwhile. */
const LARGE = 100_000;
const KEPT_MS = 5_000;
/** Counts of different queries that are kept at once. */
const MAX_KEPT = 50;

/** Counted at the instant `us` of the index. */
export interface Counted<Value> {
  us: number;
  value: Value;
}

/** Caches what was counted, until the index changes. */
export class KeptCounts {
  private readonly file: IndexFile;
  private readonly kept = new LRUCache<string, { position: IndexPosition; madeMs: number; value: object }>({
    max: MAX_KEPT,
  });

  constructor(file: IndexFile) {
    this.file = file;
  }

  /** @param name of what is counted: the same for the same query */
  keep<Value extends object>(name: string, position: IndexPosition, count: () => Value): Counted<Value> {
    const known = this.kept.get(name);
    if (known !== undefined && this.isGood(known.position, known.madeMs, position))
      return { us: known.position.us, value: known.value as Value };
    const value = count();
    this.kept.set(name, { position, madeMs: performance.now(), value });
    return { us: position.us, value };
  }

  private isGood({ epoch, us, fromUs }: IndexPosition, madeMs: number, now: IndexPosition): boolean {
    if (epoch !== now.epoch || fromUs !== now.fromUs || us > now.us) return false;
    if (us === now.us) return true;
    const size = this.file.value<number | null>('SELECT MAX(seq) - MIN(seq) FROM entry') ?? 0;
    return size > LARGE && performance.now() - madeMs < KEPT_MS;
  }
}
