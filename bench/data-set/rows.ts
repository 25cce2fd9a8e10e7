/** One database that is being filled, past the service. */
export interface Rows {
  /** @param rows each with the values of `columns`, in that order */
  insert(table: string, columns: readonly string[], rows: readonly unknown[][]): Promise<void>;
  run(sql: string, values?: unknown[]): Promise<void>;
  /** @returns the first column of the first row */
  ask(sql: string): Promise<unknown>;
  close(): Promise<void>;
}
