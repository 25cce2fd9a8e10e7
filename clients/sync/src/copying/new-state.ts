import { type CopyState, SCHEMA_VERSION, SCHEMA_VERSION_UNFILTERED } from '../copies/copy.js';
import { printUs } from '../instants.js';
import { VERSION } from '../version.js';
import type { Plan } from './plan.js';

/** Where the newest asset stands in the feed. */
interface Newest {
  offset: string;
  us: number;
}

/** What of a plan a copy keeps. */
type Kept = Pick<Plan, 'url' | 'fields' | 'types' | 'filter' | 'log'>;

/** Of a copy that holds nothing yet. @param newest only where the copy begins with it */
export function newState({ url, fields, types, filter, log }: Kept, epoch: string, newest?: Newest): CopyState {
  const now = new Date().toISOString();
  return {
    schemaVersion: filter === null ? SCHEMA_VERSION_UNFILTERED : SCHEMA_VERSION,
    writtenBy: VERSION,
    url,
    epoch,
    fields,
    types,
    filter,
    position: newest?.offset ?? '',
    // Strictly before the next microsecond: the newest one too.
    olderThan: newest === undefined ? null : printUs(newest.us + 1),
    begunAt: now,
    writtenAt: now,
    wholeAt: null,
    caughtUpAt: null,
    follows: null,
    logPlace: log ? 0 : null,
  };
}
