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
  /** The registry's rows that replace nothing of value: missing ones, and those printed in another time zone. */
  adding: AssetRow[];
  /** The registry's rows of assets that differ in the copy. */
  replacing: AssetRow[];
  /** Rows of the copy that the registry does not list there; it may have changed them meanwhile. */
  unlisted: Entry[];
}

/** Requests the page after an offset. */
type AskPage = (offset: string) => Promise<Page>;

/** Compares a range row by row with the registry's pages; yields a result for each. */
export async function* compare(copy: Copy, range: Range, ask: AskPage, reader: RowReader): AsyncGenerator<Compared> {
  let { from: offset } = boundsOf(range);
  for (let afterUs = range.afterUs; afterUs < range.upToUs;) {
    const page = await ask(offset);
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

/** The registry's time zone has changed: no difference, but the row is rewritten in the registry's format, on which its digests depend. */
function isReprinted(copy: Copy, own: Content, row: AssetRow): boolean {
  const { dateModified, document } = own;
  const isSameElse = own.content() === copy.contentOf({ ...row, dateModified, document });
  return (
    isSameElse &&
    usOf(dateModified) === row.feedUs &&
    dateModified !== row.dateModified &&
    isSameState(document, row.document)
  );
}

async function compareRows(copy: Copy, listed: readonly AssetRow[], kept: readonly Content[]): Promise<Compared> {
  const unlisted = new Map(kept.map((row) => [row.id, row]));
  const result: Compared = { differences: [], adding: [], replacing: [], unlisted: [] };
  for (const row of listed) {
    const own = unlisted.get(row.id);
    unlisted.delete(row.id);
    if (own?.feedUs === row.feedUs && own.content() === copy.contentOf(row)) continue;
    if (own !== undefined && isReprinted(copy, own, row)) {
      result.adding.push(row);
      continue;
    }
    // It may be at the wrong position.
    const there = own ?? (await copy.findEntry(row.id));
    const kind = there === undefined ? 'missing' : 'different';
    result.differences.push({ kind, id: row.id, registry: row.dateModified, copy: there?.dateModified ?? null });
    result[there === undefined ? 'adding' : 'replacing'].push(row);
  }
  result.unlisted = Array.from(unlisted.values(), entryOf);
  return result;
}
