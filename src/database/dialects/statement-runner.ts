/** What a statement that returns no rows did. */
export interface WriteResult {
  insertId?: number | string;
}

/** Runs statements on one connection: all that a dialect needs of a session. */
export interface StatementRunner {
  /**
   * Runs a SELECT, or a statement that returns rows. Only bound values may vary, never the SQL: a connection keeps each text prepared.
   * @param values integers as bigint where they are compared or counted with
   */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement that returns no rows. */
  execute(sql: string, values?: readonly unknown[]): Promise<WriteResult>;
}
