import type { Page } from 'asset-registry-client';
import type { AssetRow, RowReader } from '../asset-row.js';
import { SyncError } from '../sync-error.js';

/** Rows to write in one transaction: those of one page, or of one chunk of a snapshot. */
export interface Batch {
  /** Rows that the copy selects. */
  rows: AssetRow[];
  /** Number of entries, selected or not. */
  entries: number;
  /** Position of the last asset, selected or not: its dateModified, and the same in microseconds. */
  last: { offset: string; us: number };
}

/** The bound in the feed from which reading must continue, in microseconds. */
export type Bound = { afterUs: number } | { beforeUs: number };

/** @param page not empty @throws SyncError unless it continues from `bound`, in the order of the feed */
export function batchOfPage(page: Page, reader: RowReader, bound: Bound): Batch {
  const texts = page.texts();
  return batchOf(
    page.entries.map((entry, i) => reader.read(texts[i] as string, entry)),
    reader,
    bound,
  );
}

/** @param texts JSON of at least one asset @throws SyncError as batchOfPage */
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
    rows: all.filter((row) => reader.selects(row)),
    entries: all.length,
    last: { offset: dateModified, us: feedUs },
  };
}

/** Prevents a copier from reading the same page forever, and from storing a position that it has not reached. */
function checkOrder(all: readonly AssetRow[], bound: Bound): void {
  const isForward = 'afterUs' in bound;
  let lastUs = isForward ? bound.afterUs : bound.beforeUs;
  for (const { id, dateModified, feedUs } of all) {
    if (isForward ? feedUs <= lastUs : feedUs >= lastUs)
      throw new SyncError(
        `The registry sent asset ${id} of ${dateModified} out of order: this is not the page that was requested. A cache that ignores the query ` +
          'of a URL has this effect',
      );
    lastUs = feedUs;
  }
}
