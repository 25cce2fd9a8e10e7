import { isObject } from '../feed/reading/asset-view.js';
import type { LogEntry } from '../database/entities/log-entry.entity.js';
import { RegistryTime } from '../platform/time/registry-time.js';

const UTC = new RegistryTime('UTC');
const OFFSET = '+00:00';

/** The text of an entry, which is hashed and never changes. Source: docs/decisions/0052. */
export function entryText({
  asset,
  createdUs,
  modifiedUs,
  commitment,
}: Pick<LogEntry, 'asset' | 'createdUs' | 'modifiedUs' | 'commitment'>): string {
  const committed = commitment === null ? 'null' : `"${commitment}"`;
  // None of them contains characters that JSON escapes.
  return `{"id":"${asset}","date":"${utc(createdUs)}","dateModified":"${utc(modifiedUs)}","commitment":${committed}}`;
}

/** The opening of an entry as JSON text; `null` if it was tampered with and is not an object. */
export function openingText({ opening }: Pick<LogEntry, 'opening'>): string {
  try {
    return isObject(JSON.parse(opening)) ? opening : 'null';
  } catch {
    return 'null';
  }
}

/** An instant in microseconds as an ISO 8601 time with six decimals. */
export function utc(us: number): string {
  return `${UTC.print(us).slice(0, -OFFSET.length)}Z`;
}
