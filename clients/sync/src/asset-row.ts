import { usOf } from './instants.js';
import { SyncError } from './sync-error.js';

export interface AssetRow {
  /** 32 lower-case hex characters. */
  id: string;
  assetId: string;
  assetType: string;
  status: string;
  /** As the registry wrote it, in its own time zone. */
  dateModified: string;
  /** The same in microseconds since 1970 UTC: the asset's place in the feed. */
  feedUs: number;
  relatedLot: string | null;
  owner: string;
  /** JSON: the asset as it was received, or the fields that the copy keeps. */
  document: string;
}

/** What of a row the registry's digest is made of. */
export type Entry = Pick<AssetRow, 'id' | 'dateModified' | 'feedUs'>;

export function entryOf({ id, dateModified, feedUs }: Entry): Entry {
  return { id, dateModified, feedUs };
}

/** The fields that have columns; they are asked for also where the documents do without them. */
const COLUMN_FIELDS = ['assetID', 'assetType', 'status', 'relatedLot', 'owner'];

/** What a copy keeps of each asset, and of which assets. */
export interface Selection {
  /** Top-level fields of the documents beside id and dateModified; null keeps all. */
  fields: readonly string[] | null;
  /** Names of asset types; null keeps all. */
  types: readonly string[] | null;
  /** The query of a search, as `readFilter` writes it; null keeps all. */
  filter: string | null;
}

/** Turns what the registry sends into rows of a copy. */
export class RowReader {
  constructor(private readonly selection: Pick<Selection, 'fields' | 'types'>) {}

  /** What is asked for in `opt_fields`. */
  get asked(): '*' | string[] {
    const { fields } = this.selection;
    return fields === null ? '*' : [...new Set([...COLUMN_FIELDS, ...fields])];
  }

  keeps(row: AssetRow): boolean {
    return this.selection.types?.includes(row.assetType) ?? true;
  }

  /**
   * @param text JSON of an asset, or of an entry with the fields that were asked for
   * @param asset the same, where it is parsed already
   * @throws SyncError for anything else
   */
  read(text: string, asset = JSON.parse(text) as Record<string, unknown>): AssetRow {
    const { id, assetID, assetType, status, dateModified, relatedLot = null, owner } = asset;
    const needed = [id, assetID, assetType, status, dateModified, owner];
    const feedUs = usOf(String(dateModified));
    if (needed.some((value) => typeof value !== 'string') || Number.isNaN(feedUs))
      throw new SyncError(`The registry sent what is no asset: ${text.slice(0, 200)}`);
    return {
      id: id as string,
      assetId: assetID as string,
      assetType: assetType as string,
      status: status as string,
      dateModified: dateModified as string,
      feedUs,
      relatedLot: relatedLot as string | null,
      owner: owner as string,
      document: this.document(text, asset),
    };
  }

  private document(text: string, asset: Record<string, unknown>): string {
    const { fields } = this.selection;
    if (fields === null) return text;
    const names = ['id', 'dateModified', ...fields].filter((name) => Object.hasOwn(asset, name));
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, asset[name]])));
  }
}
