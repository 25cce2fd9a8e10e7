/** Failure of the index's file or threads, not of the registry's database. */
export class IndexError extends Error {
  /** @param code SQLite's, such as SQLITE_CORRUPT, or THREAD_ENDED; undefined for other errors */
  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}
