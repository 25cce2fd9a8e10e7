import type { Asset } from '../asset-types.js';
import { instantUs, type LogEntry, LogError, type Opening, readEntry } from 'asset-registry-tlog';

/** An entry of the log with the state that it commits to, unverified. */
export interface LoggedState {
  /** Index of the entry, from 0. */
  place: number;
  entry: LogEntry;
  /** The entry's text, as hashed. */
  text: string;
  opening: Opening | null;
  /** Null if the state in the database is no longer the logged one. */
  asset: Asset | null;
}

/** A state without an entry in the log: its instant, and the entry with which the registry reports it. */
export interface Unlogged {
  /** Index of that entry. */
  place: number;
  dateModified: string;
}

/** Entries from an index on. */
export interface LogPage {
  /** Empty at the end of the log. */
  states: LoggedState[];
  /** Size of the page's checkpoint. */
  size: number;
  /** Index from which to continue. */
  next: number;
  /** Not empty if the registry's database was tampered with. */
  unlogged: Unlogged[];
}

/** @throws LogError if the page or an entry cannot be parsed */
export function readLogPage(text: string): LogPage {
  const { data, size, next_page: nextPage, unlogged = [] } = membersIn(text, 'A page of the log');
  const { from } = Object(nextPage) as Record<string, unknown>;
  if (!Array.isArray(data) || !isCount(size) || !isCount(from) || !isUnlogged(unlogged))
    throw new LogError('This is not a page of the log');
  return { states: (data as unknown[]).map(readState), size, next: from, unlogged };
}

function readState(state: unknown): LoggedState {
  const { place, entry, opening = null, asset } = Object(state) as Record<string, unknown>;
  if (!isCount(place) || typeof entry !== 'string' || !isObjectOrNull(opening) || !isObjectOrNull(asset))
    throw new LogError('A page of the log has a malformed state');
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

/** The members of a JSON object; empty for another value. @throws LogError for invalid JSON */
export function membersIn(text: string, what: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch (error) {
    throw new LogError(`${what} is not JSON`, { cause: error });
  }
}
