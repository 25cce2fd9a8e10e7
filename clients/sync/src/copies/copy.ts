import type { AssetRow, Entry, Selection } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import type { LogRow } from './log-row.js';

/** Version of the tables and files of a copy. Older versions are supported, newer ones refused. */
export const SCHEMA_VERSION = 2;
/** Version of a copy without a filter, which earlier versions of this program can continue. */
export const SCHEMA_VERSION_UNFILTERED = 1;

/** The state of a copy; it is written in one transaction with its assets. */
export interface CopyState extends Selection {
  schemaVersion: number;
  /** The version of this program that last wrote it. */
  writtenBy: string;
  url: string;
  /** The epoch of the registry's feed. */
  epoch: string;
  /** An offset of the feed: the copy has all changes up to it (those after `olderThan`, if set). Empty at the beginning. */
  position: string;
  /** Set while a copy that began with the newest assets lacks old ones: it lacks those strictly before this offset. */
  olderThan: string | null;
  /** ISO 8601, UTC. `wholeAt`: when the end of the feed was first reached; `caughtUpAt`: when it was last reached. */
  begunAt: string;
  writtenAt: string;
  wholeAt: string | null;
  caughtUpAt: string | null;
  /** How the copy then waited for changes; null if it did not, or it is unknown. */
  follows: Following | null;
  /** Number of log entries in the copy, each with its state. Null if it does not contain the log. */
  logPlace: number | null;
}

/** Live: changes arrive immediately. Polling: with a pause between requests. */
export type Following = 'live' | 'polling';

/** A range of rows by feedUs, in microseconds: lower bound exclusive, upper bound inclusive. */
export interface Range {
  afterUs: number;
  upToUs: number;
}

/** All rows, damaged ones included. */
export const EVERYTHING: Range = { afterUs: Number.MIN_SAFE_INTEGER, upToUs: Number.MAX_SAFE_INTEGER };

export interface Content extends Entry {
  /** Returns the whole stored content as one text; built on demand. */
  content: () => string;
  /** JSON: the asset, or its copied fields. */
  document: string;
}

export interface Copy {
  /** Undefined if there is no copy yet. @throws SyncError if the target contains something else, or a copy of a newer version */
  readState(): Promise<CopyState | undefined>;
  /** Deletes all contents, and begins a new copy with `state`. */
  begin(state: CopyState): Promise<void>;
  /** Writes rows and state atomically; rows replace those with the same id. */
  write(rows: readonly AssetRow[], state: CopyState): Promise<void>;
  /** Removes rows and writes the state atomically. */
  remove(ids: readonly string[], state: CopyState): Promise<void>;
  /** Completes the copy for the first time. A resynced copy replaces the old one, and begins a new log. */
  finish(state: CopyState): Promise<void>;
  count(): Promise<number>;
  /** All entries of a range in the order of the feed, in chunks. */
  entries(range: Range): AsyncIterable<Entry[]>;
  /** The rows of a range in the order of the feed; use it for about a page. */
  contents(range: Range): Promise<Content[]>;
  /** The stored content of a row, as `contents` returns it; equal rows have equal content. */
  contentOf(row: AssetRow): string;
  findEntry(id: string): Promise<Entry | undefined>;
  /** The positions in the feed of those of these ids that exist. @param ids about a thousand */
  feedUsByIds(ids: readonly string[]): Promise<Map<string, number>>;
  /** Writes entries and state atomically; entries replace those with the same index. */
  writeLog(rows: readonly LogRow[], state: CopyState): Promise<void>;
  /** Entries from an index, inclusive, to another, exclusive. Entries beyond `logPlace` are ignored. */
  logRows(from: number, upTo: number): Promise<LogRow[]>;
  /** The indexes of the logged states of an asset. Entries beyond `logPlace` are ignored. */
  logPlaces(id: string): Promise<number[]>;
  /** The feedUs of the range's row number `number`, from 0. */
  feedUsAt(range: Range, number: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** @throws SyncError for a copy of a newer version */
export function checkVersion({ schemaVersion, writtenBy }: CopyState, shown: string): void {
  if (schemaVersion <= SCHEMA_VERSION) return;
  throw new SyncError(
    `${shown} is a copy of schema version ${schemaVersion}, written by registry-sync ${writtenBy}; this one knows ${SCHEMA_VERSION}`,
  );
}
