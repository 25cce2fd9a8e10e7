import type { Asset } from '../asset-types.js';
import type { Opening } from './commitment.js';
import { type LogEntry, readEntry } from './entry.js';

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

/** Entries from a place on. */
export interface LogPage {
  /** Empty at the end. */
  states: LoggedState[];
  /** Of the checkpoint that the page is of. */
  size: number;
  /** The place to go on from. */
  next: number;
}

interface Answer {
  data: { place: number; entry: string; opening?: Opening | null; asset: Asset | null }[];
  size: number;
  next_page: { from: number };
}

/** @throws LogError where an entry cannot be read */
export function readLogPage(text: string): LogPage {
  const { data, size, next_page: next } = JSON.parse(text) as Answer;
  const states = data.map(({ place, entry, opening = null, asset }) => ({
    place,
    entry: readEntry(entry),
    text: entry,
    opening,
    asset,
  }));
  return { states, size, next: next.from };
}
