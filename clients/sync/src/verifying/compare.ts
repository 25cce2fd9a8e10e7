import type { Page } from 'asset-registry-client';
import { type AssetRow, type Entry, entryOf, type RowReader } from '../asset-row.js';
import type { Content, Copy, Range } from '../copies/copy.js';
import { batchOfPage } from '../copying/batch.js';
import { usOf } from '../instants.js';
import { contentsIn } from './contents.js';
import { boundsOf } from './narrow.js';
import { isSameState } from './same-state.js';

/** What is wrong in a copy. */
export interface Difference {
  /** `missing`: the copy lacks it; `different`: it is not the same; `surplus`: the registry does not have it there. */
  kind: 'missing' | 'different' | 'surplus';
  id: string;
  /** The registry's dateModified and the copy's. */
  registry: string | null;
  copy: string | null;
}

/** What one range brings to light. */
export interface Compared {
  differences: Difference[];
  /** As the registry has them, where nothing is lost of the copy: what it lacks, and what is printed in another time zone. */
  adding: AssetRow[];
  /** As the registry has them, where the copy has another one. */
  replacing: AssetRow[];
  /** Of the copy; whether the registry changed them meanwhile is not known yet. */
  unlisted: Entry[];
}

/** Asks the registry for the page after an offset. */
type AskPage = (offset: string) => Promise<Page>;

/** Compares a range row by row, with the pages of the registry; yields what each brings to light. */
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

/** The registry has got another time zone: no difference, but a row that is written as the registry writes it now, as its sums are. */
function isPrintedAnew(copy: Copy, own: Content, row: AssetRow): boolean {
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
    if (own !== undefined && isPrintedAnew(copy, own, row)) {
      result.adding.push(row);
      continue;
    }
    // It may stand at the wrong place.
    const there = own ?? (await copy.findEntry(row.id));
    const kind = there === undefined ? 'missing' : 'different';
    result.differences.push({ kind, id: row.id, registry: row.dateModified, copy: there?.dateModified ?? null });
    result[there === undefined ? 'adding' : 'replacing'].push(row);
  }
  result.unlisted = Array.from(unlisted.values(), entryOf);
  return result;
}
