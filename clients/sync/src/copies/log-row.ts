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
