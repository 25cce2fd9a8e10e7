/** A value of a column. Only the verified state of a log has bytes. */
export type Value = string | number | Buffer | null;

export interface TableNames {
  assets: string;
  state: string;
}

export const COPY_TABLES = { assets: 'asset', state: 'sync_state' } as const;
/** Tables of a new copy that will replace the existing one. */
export const RESYNC_TABLES = { assets: 'asset_resync', state: 'sync_state_resync' } as const;
/** Tables of a replaced copy, until they are dropped. */
export const REPLACED_TABLES = { assets: 'asset_old', state: 'sync_state_old' } as const;
/** Table of a copy's log. */
export const LOG_TABLE = 'asset_log';

/** One column of a database. */
export interface FoundColumn {
  table: string;
  column: string;
}

/** The column types of a kind of database. */
export interface SqlTypes {
  /** 32 hex characters. */
  id: string;
  /** An instant as text. */
  instant: string;
  /** An integer of up to 53 bits. */
  integer: string;
  bytes: string;
  /** Text without a bound. */
  long: string;
  text: (maxCharacters: number) => string;
  /** Appended to the columns of a CREATE TABLE. */
  end: string;
}

/** A connection to a database with the tables of a copy. Implementations contain the differences between kinds of databases. */
export interface SqlDatabase {
  /** Description for people, without a password. */
  readonly shown: string;
  readonly types: SqlTypes;
  /** @param sql one statement, with `?` for each value */
  all<T>(sql: string, ...values: Value[]): Promise<T[]>;
  run(sql: string, ...values: Value[]): Promise<void>;
  /** Columns of all tables; names in lower case if case is insignificant. */
  columns(): Promise<FoundColumn[]>;
  /** Writes rows, which replace those with the same key. Call it in a transaction. @param columns the primary key first */
  replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void>;
  /** Runs `work` atomically; a server may commit at each CREATE or DROP TABLE. */
  transaction(work: () => Promise<void>): Promise<void>;
  /** Makes the indexes, and renames new tables to the copy's names, dropping the old copy's log. @param writeState writes the state */
  finish(names: TableNames, writeState: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
