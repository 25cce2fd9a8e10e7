import { LRUCache } from 'lru-cache';

/** Where nothing is known: so many large bodies are looked at in a second. */
const ROWS_AT_FIRST = 100;
/** Of bodies whose sizes one statement looks at: MariaDB and MySQL read a body to know its size. */
const LOOKED_AT_BYTES = 32 * 1024 * 1024;
const MOST_PLACES = 10_000;

/** How large bodies were at places of the feed: whoever goes on from a page is likely to meet what was on it. */
export class BodySizes {
  private readonly averages = new LRUCache<string, number>({ max: MOST_PLACES });

  /** How many rows to look at, of so many that are wanted from a place on. */
  rowsAt(place: string, wanted: number): number {
    const average = this.averages.get(place);
    return Math.min(wanted, average === undefined ? ROWS_AT_FIRST : Math.max(Math.floor(LOOKED_AT_BYTES / average), 1));
  }

  /** @param sizes in bytes, of what stands from a place on */
  note(place: string, sizes: readonly number[]): void {
    if (sizes.length > 0) this.averages.set(place, sizes.reduce((sum, size) => sum + size, 0) / sizes.length + 1);
  }

  forget(place: string): void {
    this.averages.delete(place);
  }
}
