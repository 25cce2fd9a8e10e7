import type { AssetRow } from '../asset-row.js';
import type { CopyState } from './copy.js';
import type { LogRow } from './log-row.js';
import { LOG_TABLE, type SqlTypes, type TableNames, type Value } from './sql-database.js';

/*
 * Columns of a copy's tables are named after their members: `feed_us` for `feedUs`.
 */

const ASSET = [
  'id',
  'assetId',
  'assetType',
  'status',
  'dateModified',
  'feedUs',
  'relatedLot',
  'owner',
  'document',
] as const satisfies readonly (keyof AssetRow)[];
const STATE = [
  'schemaVersion',
  'writtenBy',
  'url',
  'epoch',
  'position',
  'olderThan',
  'fields',
  'types',
  'filter',
  'begunAt',
  'writtenAt',
  'wholeAt',
  'caughtUpAt',
  'follows',
  'logPlace',
] as const satisfies readonly (keyof CopyState)[];
const LOG = [
  'place',
  'id',
  'dateModified',
  'entry',
  'opening',
  'document',
] as const satisfies readonly (keyof LogRow)[];
/** Members of a state that are not texts. */
const JSON_MEMBERS: readonly string[] = ['schemaVersion', 'fields', 'types', 'logPlace'];

export const ASSET_COLUMNS = ASSET.map(columnOf);
export const STATE_COLUMNS = STATE.map(columnOf);
export const LOG_COLUMNS = LOG.map(columnOf);
/** Columns that are added to copies of earlier versions. Earlier versions leave them empty. */
export const LATER_STATE_COLUMNS = ['filter', 'follows', 'log_place'];
/** Later columns that may be long. */
export const LONG_LATER_COLUMNS = ['filter'];

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

export type Stored = Readonly<Record<string, Value>>;

/** Placeholders of a statement with these values. */
export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

export function valuesOf(row: AssetRow): Value[] {
  return ASSET.map((member) => row[member]);
}

export function rowOf(stored: Stored): AssetRow {
  const row = membersIn(stored, ASSET, ASSET_COLUMNS) as unknown as AssetRow;
  return { ...row, feedUs: Number(row.feedUs) };
}

function membersIn(stored: Stored, members: readonly string[], columns: readonly string[]): Record<string, Value> {
  return Object.fromEntries(members.map((member, i) => [member, stored[columns[i] as string] ?? null]));
}

export function stateValuesOf(state: CopyState): Value[] {
  return STATE.map((member) => {
    const value = state[member];
    return typeof value === 'string' || value === null ? value : JSON.stringify(value);
  });
}

export function stateOf(stored: Stored): CopyState {
  const members: Record<string, unknown> = membersIn(stored, STATE, STATE_COLUMNS);
  for (const name of JSON_MEMBERS) members[name] = JSON.parse(String(members[name]));
  return members as unknown as CopyState;
}

export function logValuesOf(row: LogRow): Value[] {
  return LOG.map((member) => row[member]);
}

export function logRowIn(stored: Stored): LogRow {
  const row = membersIn(stored, LOG, LOG_COLUMNS) as unknown as LogRow;
  return { ...row, place: Number(row.place) };
}

/** Statements that make the tables of a copy. The state's table is first: a table of assets without one would count as foreign. */
export function tablesOf(names: TableNames, { id, instant, integer, long, text, end }: SqlTypes): string[] {
  return [
    `CREATE TABLE ${names.state} (
      schema_version INTEGER NOT NULL,
      written_by ${text(64)} NOT NULL,
      url TEXT NOT NULL,
      epoch ${text(128)} NOT NULL,
      position ${text(40)} NOT NULL,
      older_than ${text(40)},
      fields TEXT,
      types TEXT,
      filter TEXT,
      begun_at ${text(40)} NOT NULL,
      written_at ${text(40)} NOT NULL,
      whole_at ${text(40)},
      caught_up_at ${text(40)},
      follows ${text(16)},
      log_place ${text(16)}
    )${end}`,
    `CREATE TABLE ${names.assets} (
      id ${id} NOT NULL PRIMARY KEY,
      asset_id ${text(64)} NOT NULL,
      asset_type ${text(128)} NOT NULL,
      status ${text(128)} NOT NULL,
      date_modified ${instant} NOT NULL,
      feed_us ${integer} NOT NULL,
      related_lot ${text(32)},
      owner ${text(255)} NOT NULL,
      document ${long} NOT NULL
    )${end}`,
  ];
}

export function logTable({ id, instant, integer, long, end }: SqlTypes): string {
  return `CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
    place ${integer} NOT NULL PRIMARY KEY,
    id ${id} NOT NULL,
    date_modified ${instant} NOT NULL,
    entry TEXT NOT NULL,
    opening ${long},
    document ${long},
    CONSTRAINT asset_log_id UNIQUE (id, place)
  )${end}`;
}
