import type { AssetRow } from '../asset-row.js';
import type { CopyState, Following } from './copy.js';

/** Of the table `asset`, in the order of `valuesOf`. */
export const ASSET_COLUMNS = [
  'id',
  'asset_id',
  'asset_type',
  'status',
  'date_modified',
  'feed_us',
  'related_lot',
  'owner',
  'document',
] as const;

/** Of the table `sync_state`, in the order of `stateValuesOf`. */
export const STATE_COLUMNS = [
  'schema_version',
  'written_by',
  'url',
  'epoch',
  'position',
  'older_than',
  'fields',
  'types',
  'begun_at',
  'written_at',
  'whole_at',
  'caught_up_at',
  'follows',
  'log_place',
] as const;
/** Those that copies of earlier versions do not have, and get. Earlier versions leave them empty. */
export const LATER_STATE_COLUMNS = ['follows', 'log_place'] as const;

/** The names of the tables of a copy. */
export interface TableNames {
  /** Of the assets. */
  table: string;
  state: string;
}

export const NAME_OF_COPY = { table: 'asset', state: 'sync_state' } as const;
/** Of a copy that is made beside another and will take its place. */
export const NAME_BESIDE = { table: 'asset_resync', state: 'sync_state_resync' } as const;
/** Of one whose place was taken, until it is dropped. */
export const NAME_REPLACED = { table: 'asset_old', state: 'sync_state_old' } as const;

export type Value = string | number | null;
type Stored<T extends string> = Record<T, Value>;

/** Of a statement that writes them. */
export function placeholdersFor(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

export function valuesOf(row: AssetRow): Value[] {
  const { id, assetId, assetType, status, dateModified, feedUs, relatedLot, owner, document } = row;
  return [id, assetId, assetType, status, dateModified, feedUs, relatedLot, owner, document];
}

export function rowOf(stored: Stored<(typeof ASSET_COLUMNS)[number]>): AssetRow {
  return {
    id: stored.id as string,
    assetId: stored.asset_id as string,
    assetType: stored.asset_type as string,
    status: stored.status as string,
    dateModified: stored.date_modified as string,
    feedUs: Number(stored.feed_us),
    relatedLot: stored.related_lot as string | null,
    owner: stored.owner as string,
    document: stored.document as string,
  };
}

export function stateValuesOf(state: CopyState): Value[] {
  const {
    schemaVersion,
    writtenBy,
    url,
    epoch,
    position,
    olderThan,
    begunAt,
    writtenAt,
    wholeAt,
    caughtUpAt,
    follows,
    logPlace,
  } = state;
  const [fields, types] = [state.fields, state.types].map((list) => (list === null ? null : JSON.stringify(list)));
  return [
    schemaVersion,
    writtenBy,
    url,
    epoch,
    position,
    olderThan,
    fields as Value,
    types as Value,
    begunAt,
    writtenAt,
    wholeAt,
    caughtUpAt,
    follows,
    logPlace === null ? null : String(logPlace),
  ];
}

export function stateOf(stored: Stored<(typeof STATE_COLUMNS)[number]>): CopyState {
  const listOf = (text: Value): string[] | null => (text === null ? null : (JSON.parse(String(text)) as string[]));
  return {
    schemaVersion: Number(stored.schema_version),
    writtenBy: stored.written_by as string,
    url: stored.url as string,
    epoch: stored.epoch as string,
    position: stored.position as string,
    olderThan: stored.older_than as string | null,
    fields: listOf(stored.fields),
    types: listOf(stored.types),
    begunAt: stored.begun_at as string,
    writtenAt: stored.written_at as string,
    wholeAt: stored.whole_at as string | null,
    caughtUpAt: stored.caught_up_at as string | null,
    follows: (stored.follows ?? null) as Following | null,
    logPlace: stored.log_place === null || stored.log_place === undefined ? null : Number(stored.log_place),
  };
}
