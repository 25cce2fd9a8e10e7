import { Answer } from '../http/answer.js';
import type { Origin } from '../http/exchange.js';
import { type ListingQuery, printLinks } from '../listing/feed-pages.js';
import type { RegistryTime } from '../time/registry-time.js';
import type { HistoryEntry, HistoryPart } from '../feed/reading/asset-history.js';
import { entityTag } from '../asset/asset-view.js';

/** A page of a history, with the links of the listing. */
export function printHistory(part: HistoryPart, query: ListingQuery, from: Origin, time: RegistryTime): Answer {
  const { offset = '' } = query;
  const entries = part.entries.map((entry) => ({ dateModified: time.print(entry.modifiedUs), ...shown(entry) }));
  const links = printLinks(from, query, entries[0]?.dateModified ?? offset, entries.at(-1)?.dateModified ?? offset);
  const headers = { Link: links.header, ETag: entityTag(part) };
  return new Answer(200, `{${links.members},"data":${JSON.stringify(entries)}}`, headers);
}

function shown({ status, relatedLot, transfer, changed }: HistoryEntry): object {
  const owner = transfer && { owner: transfer.to };
  return { status, ...(relatedLot !== null && { relatedLot }), ...owner, ...(changed && { changed }) };
}
