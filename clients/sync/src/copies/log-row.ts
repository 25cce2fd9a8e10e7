import type { LoggedState } from 'asset-registry-client';

/** An entry of the log, with its state, in a copy. */
export interface LogRow {
  /** From 0. */
  place: number;
  /** Of the asset. */
  id: string;
  /** UTC, as in the entry. */
  dateModified: string;
  /** As it is hashed. */
  entry: string;
  /** JSON; null where nothing opens the entry. */
  opening: string | null;
  /** JSON of the asset as it was; null where it is not what was recorded any more. */
  document: string | null;
}

/** Of the table `asset_log`, in the order of `logValuesOf`. */
export const LOG_COLUMNS = ['place', 'id', 'date_modified', 'entry', 'opening', 'document'] as const;
export const LOG_TABLE = 'asset_log';
/** What reads the rows, up to its WHERE. */
export const SELECT_LOG = `SELECT place, id, date_modified AS dateModified, entry, opening, document FROM ${LOG_TABLE}`;

export function logRowOf({ place, entry, text, opening, asset }: LoggedState): LogRow {
  return {
    place,
    id: entry.id,
    dateModified: entry.dateModified,
    entry: text,
    opening: opening === null ? null : JSON.stringify(opening),
    document: asset === null ? null : JSON.stringify(asset),
  };
}

/** @returns the state that a row keeps, without members where it keeps none or was damaged */
export function assetIn({ document }: LogRow): Record<string, unknown> {
  try {
    return Object(JSON.parse(document ?? 'null')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function logValuesOf(row: LogRow): (string | number | null)[] {
  return [row.place, row.id, row.dateModified, row.entry, row.opening, row.document];
}
