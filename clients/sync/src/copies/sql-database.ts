/** A value of a column; bytes in what was seen of a log alone. */
export type Value = string | number | Buffer | null;

export interface TableNames {
  assets: string;
  state: string;
}

export const NAME_OF_COPY = { assets: 'asset', state: 'sync_state' } as const;
/** Of a copy that is made beside another and will take its place. */
export const NAME_BESIDE = { assets: 'asset_resync', state: 'sync_state_resync' } as const;
/** Of one whose place was taken, until it is dropped. */
export const NAME_REPLACED = { assets: 'asset_old', state: 'sync_state_old' } as const;
/** Of the log that a copy keeps. */
export const LOG_TABLE = 'asset_log';

/** One row for each column of a database. */
export interface FoundColumn {
  table: string;
  column: string;
}

/** How a kind of database writes the types of columns. */
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
  /** Follows the columns of a table. */
  end: string;
}

/** A connection to a database with the tables of a copy: what differs between the kinds of databases. */
export interface SqlDatabase {
  /** For people, without a password. */
  readonly shown: string;
  readonly types: SqlTypes;
  /** @param sql one statement, with `?` for each value */
  all<T>(sql: string, ...values: Value[]): Promise<T[]>;
  run(sql: string, ...values: Value[]): Promise<void>;
  /** Of all tables; names in small letters where case does not count. */
  columns(): Promise<FoundColumn[]>;
  /** Rows take the place of those with the same key. Called in a transaction. @param columns the primary key first */
  replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void>;
  /** All that `work` writes, or nothing; a server may commit with each table that is made or dropped. */
  transaction(work: () => Promise<void>): Promise<void>;
  /** Makes the indexes, and puts tables that were made beside a copy in its place; that one's log goes. @param keep writes the state */
  finish(names: TableNames, keep: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
