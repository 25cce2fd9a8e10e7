import type { Page } from 'asset-registry-client';
import type { AssetRow, RowReader } from '../asset-row.js';

/** What one page or one piece of a snapshot brings. */
export interface Batch {
  /** Those that the copy keeps. */
  rows: AssetRow[];
  /** How many there were, kept or not. */
  entries: number;
  /** dateModified of the last asset, kept or not, and the same in microseconds. */
  last: { offset: string; us: number };
}

/** @param page one that is not empty */
export function batchOfPage(page: Page, reader: RowReader): Batch {
  const texts = page.texts();
  return batchOf(
    page.entries.map((entry, i) => reader.read(texts[i] as string, entry)),
    reader,
  );
}

/** @param texts JSON of assets, one at least */
export function batchOfTexts(texts: readonly string[], reader: RowReader): Batch {
  return batchOf(
    texts.map((text) => reader.read(text)),
    reader,
  );
}

function batchOf(all: readonly AssetRow[], reader: RowReader): Batch {
  const { dateModified, feedUs } = all.at(-1) as AssetRow;
  return {
    rows: all.filter((row) => reader.keeps(row)),
    entries: all.length,
    last: { offset: dateModified, us: feedUs },
  };
}
