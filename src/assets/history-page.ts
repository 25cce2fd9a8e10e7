import { type Answer, TaggedAnswer } from '../http/answer.js';
import type { Origin } from '../http/origins.js';
import { type ListingQuery, printLinks } from '../listing/feed-pages.js';
import type { RegistryTime } from '../platform/time/registry-time.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';

/** Prints a page of a history, with links as in the listing. */
export function printHistory(
  states: readonly HistoryEntry[],
  query: ListingQuery,
  from: Origin,
  { time, location }: { time: RegistryTime; location: Readonly<Record<string, string>> },
): Answer {
  const { offset = '' } = query;
  const entries = states.map((entry) => ({ dateModified: time.print(entry.modifiedUs), ...printState(entry) }));
  const links = printLinks(from, query, entries[0]?.dateModified ?? offset, entries.at(-1)?.dateModified ?? offset);
  return new TaggedAnswer(`{${links.members},"data":${JSON.stringify(entries)}}`, { Link: links.header, ...location });
}

function printState({ status, relatedLot, transfer, changed }: HistoryEntry): object {
  const owner = transfer && { owner: transfer.to };
  return { status, ...(relatedLot !== null && { relatedLot }), ...owner, ...(changed && { changed }) };
}
