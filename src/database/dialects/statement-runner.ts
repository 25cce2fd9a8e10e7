export interface WriteResult {
  insertId?: number | string;
}

/** Runs statements on one connection: all that a dialect needs of a session. */
export interface StatementRunner {
  /**
   * Runs a statement that returns rows. Pass anything that varies as a bound value, because each distinct SQL text is prepared and cached.
   * @param values integers as bigint, except where only stored
   */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that returns no rows. */
  execute(sql: string, values?: readonly unknown[]): Promise<WriteResult>;
}
