import type { LoggedState } from 'asset-registry-client';

/** An entry of the log with its state, in a copy. */
export interface LogRow {
  /** Index of the entry, from 0. */
  place: number;
  /** Id of the asset. */
  id: string;
  /** UTC, as in the entry. */
  dateModified: string;
  /** The entry's text, as hashed. */
  entry: string;
  /** JSON; null if the entry has no opening. */
  opening: string | null;
  /** JSON of the asset in that state; null if the registry no longer has the logged state. */
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

/** @returns the state in a row; an empty object if it has none or is damaged */
export function assetIn({ document }: LogRow): Record<string, unknown> {
  try {
    return Object(JSON.parse(document ?? 'null')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
