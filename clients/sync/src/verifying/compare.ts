import type { Page } from 'asset-registry-client';
import { type AssetRow, type Entry, entryOf, type RowReader } from '../asset-row.js';
import type { Content, Copy, Range } from '../copies/copy.js';
import { batchOfPage } from '../copying/batch.js';
import { usOf } from '../instants.js';
import { contentsIn } from './contents.js';
import { boundsOf } from './narrow.js';
import { isSameState } from './same-state.js';

/** A difference between copy and registry. */
export interface Difference {
  /** `missing`: the copy lacks the asset; `different`: its content differs; `surplus`: the registry does not list it at this position. */
  kind: 'missing' | 'different' | 'surplus';
  id: string;
  /** dateModified of the registry and of the copy. */
  registry: string | null;
  copy: string | null;
}

/** Result of comparing one range. */
export interface Compared {
  differences: Difference[];
  /** The registry's rows that the copy lacks, or has in the format of another time zone. */
  adding: AssetRow[];
  /** The registry's rows of assets that differ in the copy. */
  replacing: AssetRow[];
  /** Rows of the copy that the registry does not list there; it may have changed them meanwhile. */
  unlisted: Entry[];
}

/** Requests the page after an offset. */
type RequestPage = (offset: string) => Promise<Page>;

/** Compares a range row by row with the registry's pages; yields a result for each. */
export async function* compare(
  copy: Copy,
  range: Range,
  requestPage: RequestPage,
  reader: RowReader,
): AsyncGenerator<Compared> {
  let { from: offset } = boundsOf(range);
  for (let afterUs = range.afterUs; afterUs < range.upToUs;) {
    const page = await requestPage(offset);
    const batch = page.entries.length === 0 ? undefined : batchOfPage(page, reader, { afterUs });
    const upToUs = Math.min(batch?.last.us ?? range.upToUs, range.upToUs);
    const listed = (batch?.rows ?? []).filter(({ feedUs }) => feedUs <= range.upToUs);
    for await (const { range: part, rows } of contentsIn(copy, { afterUs, upToUs }))
      yield await compareRows(copy, listed.filter(isIn(part)), rows);
    afterUs = upToUs;
    offset = batch?.last.offset ?? offset;
  }
}

function isIn({ afterUs, upToUs }: Range): (row: Entry) => boolean {
  return ({ feedUs }) => feedUs > afterUs && feedUs <= upToUs;
}

/** Whether only the time zone differs, because the registry's has changed. The row is rewritten, because digests depend on its format, but counts as equal. */
function isReprinted(copy: Copy, own: Content, row: AssetRow): boolean {
  const { dateModified, document } = own;
  const isSameOtherwise = own.content() === copy.contentOf({ ...row, dateModified, document });
  return (
    isSameOtherwise &&
    usOf(dateModified) === row.feedUs &&
    dateModified !== row.dateModified &&
    isSameState(document, row.document)
  );
}

async function compareRows(copy: Copy, listed: readonly AssetRow[], copied: readonly Content[]): Promise<Compared> {
  const unlisted = new Map(copied.map((row) => [row.id, row]));
  const result: Compared = { differences: [], adding: [], replacing: [], unlisted: [] };
  for (const row of listed) {
    const own = unlisted.get(row.id);
    unlisted.delete(row.id);
    if (own?.feedUs === row.feedUs && own.content() === copy.contentOf(row)) continue;
    if (own !== undefined && isReprinted(copy, own, row)) {
      result.adding.push(row);
      continue;
    }
    // The copy may have it at another position.
    const existing = own ?? (await copy.findEntry(row.id));
    const kind = existing === undefined ? 'missing' : 'different';
    result.differences.push({ kind, id: row.id, registry: row.dateModified, copy: existing?.dateModified ?? null });
    result[existing === undefined ? 'adding' : 'replacing'].push(row);
  }
  result.unlisted = Array.from(unlisted.values(), entryOf);
  return result;
}
