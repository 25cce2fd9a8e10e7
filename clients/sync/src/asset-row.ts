import { usOf } from './instants.js';
import { SyncError } from './sync-error.js';

export interface AssetRow {
  /** 32 lower-case hex characters. */
  id: string;
  assetId: string;
  assetType: string;
  status: string;
  /** As printed by the registry, in its time zone. */
  dateModified: string;
  /** The same in microseconds since 1970 UTC: the asset's position in the feed. */
  feedUs: number;
  relatedLot: string | null;
  owner: string;
  /** JSON: the asset as received, or the copied fields. */
  document: string;
}

/** The parts of a row that enter the registry's digest. */
export type Entry = Pick<AssetRow, 'id' | 'dateModified' | 'feedUs'>;

export function entryOf({ id, dateModified, feedUs }: Entry): Entry {
  return { id, dateModified, feedUs };
}

/** Fields with a column; they are requested even if the documents omit them. */
const COLUMN_FIELDS = ['assetID', 'assetType', 'status', 'relatedLot', 'owner'];

/** The assets and fields that a copy contains. */
export interface Selection {
  /** Top-level fields of the documents in addition to id and dateModified; null for all. */
  fields: readonly string[] | null;
  /** Names of asset types; null for all. */
  types: readonly string[] | null;
  /** The query of a search, as normalised by `readFilter`; null for all. */
  filter: string | null;
}

/** Converts the registry's answers to rows of a copy. */
export class RowReader {
  constructor(private readonly selection: Pick<Selection, 'fields' | 'types'>) {}

  /** The fields to request: the value of `opt_fields`. */
  get fields(): '*' | string[] {
    const { fields } = this.selection;
    return fields === null ? '*' : [...new Set([...COLUMN_FIELDS, ...fields])];
  }

  selects(row: AssetRow): boolean {
    return this.selection.types?.includes(row.assetType) ?? true;
  }

  /**
   * @param text JSON of an asset, or of an entry with the requested fields
   * @param asset the same, if parsed already
   * @throws SyncError for anything else
   */
  read(text: string, asset = JSON.parse(text) as Record<string, unknown>): AssetRow {
    const { id, assetID, assetType, status, dateModified, relatedLot = null, owner } = asset;
    const needed = [id, assetID, assetType, status, dateModified, owner];
    const feedUs = usOf(String(dateModified));
    if (needed.some((value) => typeof value !== 'string') || Number.isNaN(feedUs))
      throw new SyncError(`The registry sent data that is not an asset: ${text.slice(0, 200)}`);
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
