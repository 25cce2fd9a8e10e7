import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { Revision } from '../../src/database/entities/revision.entity.js';
import type { FeedEntry, FeedRange } from '../../src/database/readers/feed-reader.js';
import { partitionPoint } from '../support/partition-point.js';

/** A position that an asset had in the feed, from `us` on until `untilUs`. */
interface Position {
  id: string;
  us: number;
  untilUs: number;
}

/** A page: its entries, which are all between two instants, both exclusive. */
interface ShownPage {
  afterUs: number;
  beforeUs: number;
  entries: readonly FeedEntry[];
}

/** Records pages, and finds those that match no state of the feed, such as a page with part of a group. */
export class PageMoments {
  private readonly pages: ShownPage[] = [];

  note({ afterUs, beforeUs, newestFirst, limit }: FeedRange, entries: readonly FeedEntry[]): void {
    const lastUs = entries.at(-1)?.modifiedUs;
    if (lastUs === undefined) return;
    const isFull = entries.length === limit;
    const page = { afterUs, beforeUs, entries };
    if (isFull && newestFirst) page.afterUs = lastUs - 1;
    else if (isFull) page.beforeUs = lastUs + 1;
    this.pages.push(page);
  }

  /** @returns a sentence for each page that matches no state of the feed */
  check(rows: ReadonlyMap<string, Asset>, revisions: readonly Revision[]): string[] {
    const present = [...rows.values()].filter(({ feedUs }) => feedUs !== null);
    const positions: Position[] = [
      ...present.map(({ id, modifiedUs: us }) => ({ id, us, untilUs: Infinity })),
      ...revisions
        .filter(({ listed }) => listed === 1)
        .map(({ asset: id, modifiedUs: us, untilUs }) => ({ id, us, untilUs })),
    ];
    positions.sort((one, other) => one.us - other.us);
    return this.pages.flatMap((page) => faultOf(page, positions) ?? []);
  }
}

/** @param positions in their order */
function faultOf({ afterUs, beforeUs, entries }: ShownPage, positions: readonly Position[]): string | undefined {
  const shown = new Set(entries.map(({ modifiedUs }) => modifiedUs));
  let momentUs = Math.max(...shown);
  let overUs = Infinity;
  let found = 0;
  let cause = 0;
  for (let i = partitionPoint(positions, ({ us }) => us > afterUs); i < positions.length; i++) {
    const { us, untilUs } = positions[i] as Position;
    if (us > momentUs || us >= beforeUs) break;
    if (shown.has(us)) {
      overUs = Math.min(overUs, untilUs);
      found++;
    } else if (untilUs > momentUs) {
      // It is not on the page, so the page is of a later moment.
      momentUs = untilUs;
      cause = us;
    }
  }
  if (found === shown.size && momentUs < overUs) return undefined;
  return `a page is of no moment: ${[...shown].join()} between ${afterUs} and ${beforeUs}, without ${cause}`;
}
