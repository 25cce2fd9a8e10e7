import { type CopyState, SCHEMA_VERSION, SCHEMA_VERSION_UNFILTERED } from '../copies/copy.js';
import { printUs } from '../instants.js';
import { VERSION } from '../version.js';
import type { Plan } from './plan.js';

/** Position of the newest asset in the feed. */
interface Newest {
  offset: string;
  us: number;
}

/** The parts of a plan that the copy's state stores. */
type StoredPlan = Pick<Plan, 'url' | 'fields' | 'types' | 'filter' | 'log'>;

/** The state of an empty copy. @param newest only if the copy begins with the newest assets */
export function newState({ url, fields, types, filter, log }: StoredPlan, epoch: string, newest?: Newest): CopyState {
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
    // Strictly before the next microsecond, so that the newest asset is included.
    olderThan: newest === undefined ? null : printUs(newest.us + 1),
    begunAt: now,
    writtenAt: now,
    wholeAt: null,
    caughtUpAt: null,
    follows: null,
    logPlace: log ? 0 : null,
  };
}
