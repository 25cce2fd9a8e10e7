import type { Asset } from '../asset-types.js';
import { instantUs, type LogEntry, LogError, type Opening, readEntry } from 'asset-registry-tlog';

/** An entry of the log with the state that it binds. Whether it does is not looked at yet. */
export interface LoggedState {
  /** From 0. */
  place: number;
  entry: LogEntry;
  /** Of the entry, as it is hashed. */
  text: string;
  opening: Opening | null;
  /** Null where it is not what was recorded any more. */
  asset: Asset | null;
}

/** An instant that the registry tells of an asset beside an entry, and that no entry is of. */
export interface Unlogged {
  /** Of the entry. */
  place: number;
  dateModified: string;
}

/** Entries from a place on. */
export interface LogPage {
  /** Empty at the end. */
  states: LoggedState[];
  /** Of the checkpoint that the page is of. */
  size: number;
  /** The place to go on from. */
  next: number;
  /** Not empty where somebody has changed the registry's database. */
  unlogged: Unlogged[];
}

/** @throws LogError where it, or an entry, cannot be read */
export function readLogPage(text: string): LogPage {
  const { data, size, next_page: nextPage, unlogged = [] } = membersIn(text, 'A page of the log');
  const { from } = Object(nextPage) as Record<string, unknown>;
  if (!Array.isArray(data) || !isCount(size) || !isCount(from) || !isUnlogged(unlogged))
    throw new LogError('This is no page of a log');
  return { states: (data as unknown[]).map(readState), size, next: from, unlogged };
}

function readState(state: unknown): LoggedState {
  const { place, entry, opening = null, asset } = Object(state) as Record<string, unknown>;
  if (!isCount(place) || typeof entry !== 'string' || !isObjectOrNull(opening) || !isObjectOrNull(asset))
    throw new LogError('A page of the log has what is no state');
  return {
    place,
    entry: readEntry(entry),
    text: entry,
    opening: opening as Opening | null,
    asset: asset as Asset | null,
  };
}

function isUnlogged(value: unknown): value is Unlogged[] {
  if (!Array.isArray(value)) return false;
  return (value as Partial<Unlogged>[]).every(
    (one) => isCount(one?.place) && !Number.isNaN(instantUs(String(one.dateModified))),
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObjectOrNull(value: unknown): value is object | null {
  return typeof value === 'object' && !Array.isArray(value);
}

/** The members of a JSON object; none of another value. @throws LogError for what is no JSON */
export function membersIn(text: string, what: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch (error) {
    throw new LogError(`${what} is no JSON`, { cause: error });
  }
}
