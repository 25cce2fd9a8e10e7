import type { Page } from 'asset-registry-client';
import type { AssetRow, RowReader } from '../asset-row.js';
import { SyncError } from '../sync-error.js';

/** What one page or one piece of a snapshot brings. */
export interface Batch {
  /** Those that the copy keeps. */
  rows: AssetRow[];
  /** How many there were, kept or not. */
  entries: number;
  /** dateModified of the last asset, kept or not, and the same in microseconds. */
  last: { offset: string; us: number };
}

/** Where in the feed what is read has to go on, in microseconds: after the one, or before the other. */
export type Bound = { afterUs: number } | { beforeUs: number };

/** @param page one that is not empty @throws SyncError where it does not go on from there, in the order of the feed */
export function batchOfPage(page: Page, reader: RowReader, bound: Bound): Batch {
  const texts = page.texts();
  return batchOf(
    page.entries.map((entry, i) => reader.read(texts[i] as string, entry)),
    reader,
    bound,
  );
}

/** @param texts JSON of assets, one at least @throws SyncError as batchOfPage */
export function batchOfTexts(texts: readonly string[], reader: RowReader, bound: Bound): Batch {
  return batchOf(
    texts.map((text) => reader.read(text)),
    reader,
    bound,
  );
}

function batchOf(all: readonly AssetRow[], reader: RowReader, bound: Bound): Batch {
  checkOrder(all, bound);
  const { dateModified, feedUs } = all.at(-1) as AssetRow;
  return {
    rows: all.filter((row) => reader.keeps(row)),
    entries: all.length,
    last: { offset: dateModified, us: feedUs },
  };
}

/** Who went on nevertheless would read the same for ever, or keep a position that it has not reached. */
function checkOrder(all: readonly AssetRow[], bound: Bound): void {
  const isForward = 'afterUs' in bound;
  let lastUs = isForward ? bound.afterUs : bound.beforeUs;
  for (const { id, dateModified, feedUs } of all) {
    if (isForward ? feedUs <= lastUs : feedUs >= lastUs)
      throw new SyncError(
        `The registry sent asset ${id} of ${dateModified} where its feed was to go on from another place. Something in between that does not look ` +
          'at the whole URL, such as a cache, would do so',
      );
    lastUs = feedUs;
  }
}
