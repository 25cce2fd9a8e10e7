import { LRUCache } from 'lru-cache';
import type { IndexFile } from './index-file.ts';
import type { IndexPosition } from './indexed-asset.ts';

/** Above this number of entries, counts are cached for some seconds even if the index changes. */
const LARGE_INDEX = 100_000;
const MAX_AGE_MS = 5_000;
/** Cached queries. */
const MAX_CACHED = 50;

/** `us` is the instant of the index at which the value was counted. */
export interface Counted<Value> {
  us: number;
  value: Value;
}

/** Caches counts until the index changes. */
export class CountCache {
  private readonly file: IndexFile;
  private readonly entries = new LRUCache<string, { position: IndexPosition; countedMs: number; value: object }>({
    max: MAX_CACHED,
  });

  constructor(file: IndexFile) {
    this.file = file;
  }

  /** @param name the cache key */
  getOrCount<Value extends object>(name: string, position: IndexPosition, count: () => Value): Counted<Value> {
    const cached = this.entries.get(name);
    if (cached !== undefined && this.isFresh(cached.position, cached.countedMs, position))
      return { us: cached.position.us, value: cached.value as Value };
    const value = count();
    this.entries.set(name, { position, countedMs: performance.now(), value });
    return { us: position.us, value };
  }

  private isFresh({ epoch, us, fromUs }: IndexPosition, madeMs: number, now: IndexPosition): boolean {
    if (epoch !== now.epoch || fromUs !== now.fromUs || us > now.us) return false;
    if (us === now.us) return true;
    const size = this.file.value<number | null>('SELECT MAX(seq) - MIN(seq) FROM entry') ?? 0;
    return size > LARGE_INDEX && performance.now() - madeMs < MAX_AGE_MS;
  }
}
