import type { AssetRow, Entry, Selection } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import type { LogRow } from './log-row.js';

/** Of the tables and files that a copy consists of. It grows when they change; older versions are understood, newer ones refused. */
export const SCHEMA_VERSION = 2;
/** Of a copy without a filter: earlier versions of this program go on with it. */
export const SCHEMA_VERSION_UNFILTERED = 1;

/** What a copy says of itself; it is written together with the assets that it speaks of. */
export interface CopyState extends Selection {
  schemaVersion: number;
  /** The version of this program that wrote it last. */
  writtenBy: string;
  url: string;
  /** Which history of the registry it is a copy of. */
  epoch: string;
  /** An offset of the feed: the copy holds all changes up to it (those after `olderThan`, as long as there is one). Empty at the beginning. */
  position: string;
  /** Only while a copy that began with the newest assets lacks old ones: it lacks those strictly before this offset. */
  olderThan: string | null;
  /** ISO 8601, UTC. `wholeAt`: the end of the feed was reached for the first time; `caughtUpAt`: for the last time. */
  begunAt: string;
  writtenAt: string;
  wholeAt: string | null;
  caughtUpAt: string | null;
  /** How the end of the feed was waited at then; null where it was not, or nobody knows yet. */
  follows: Following | null;
  /** Of the log: up to where the copy keeps it, with the state of each entry. Null where it keeps none. */
  logPlace: number | null;
}

/** Live: each change comes as it is made. Polling: there is a pause before the registry is asked again. */
export type Following = 'live' | 'polling';

/** Bounds of a range of rows by feedUs, in microseconds: those after the first, up to the second and that too. */
export interface Range {
  afterUs: number;
  upToUs: number;
}

/** From before the first row to after the last, damaged ones too. */
export const EVERYTHING: Range = { afterUs: Number.MIN_SAFE_INTEGER, upToUs: Number.MAX_SAFE_INTEGER };

export interface Content extends Entry {
  /** All that is kept of it as one text; made where it is asked for. */
  content: () => string;
  /** JSON: the asset, or what of it is kept. */
  document: string;
}

export interface Copy {
  /** Undefined where there is no copy yet. @throws SyncError where there is something else, or one of a newer version */
  readState(): Promise<CopyState | undefined>;
  /** Throws everything away, and begins anew with `state`. */
  begin(state: CopyState): Promise<void>;
  /** Both or nothing: rows take the place of those with the same id. */
  write(rows: readonly AssetRow[], state: CopyState): Promise<void>;
  /** As `write`, with rows that go. */
  remove(ids: readonly string[], state: CopyState): Promise<void>;
  /** The copy is whole for the first time. One that was made beside another takes its place, and begins its log. */
  finish(state: CopyState): Promise<void>;
  count(): Promise<number>;
  /** In the order of the feed, some at a time. */
  entries(range: Range): AsyncIterable<Entry[]>;
  /** To be asked for what is about a page, in the order of the feed. */
  contents(range: Range): Promise<Content[]>;
  /** What is kept of a row, as `contents` gives it: two are the same when it is. */
  contentOf(row: AssetRow): string;
  findEntry(id: string): Promise<Entry | undefined>;
  /** Where those of these ids that there are stand in the feed. @param ids about a thousand */
  placesOf(ids: readonly string[]): Promise<Map<string, number>>;
  /** Both or nothing, as `write`: rows take the place of those at the same place. */
  writeLog(rows: readonly LogRow[], state: CopyState): Promise<void>;
  /** Those from a place up to another one, which is not among them. What is beyond `logPlace` does not count. */
  logRows(from: number, upTo: number): Promise<LogRow[]>;
  /** Where the kept states of an asset are. What is beyond `logPlace` does not count. */
  logPlaces(id: string): Promise<number[]>;
  /** The feedUs of the range's row with that number, counted from 0. */
  feedUsAt(range: Range, number: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** @throws SyncError for a copy that this version cannot understand */
export function checkVersion({ schemaVersion, writtenBy }: CopyState, shown: string): void {
  if (schemaVersion <= SCHEMA_VERSION) return;
  throw new SyncError(
    `${shown} is a copy of schema version ${schemaVersion}, written by registry-sync ${writtenBy}; this one knows ${SCHEMA_VERSION}`,
  );
}
