/** The index's file failed, or a thread that has it; the registry's own database has nothing to do with it. */
export class IndexError extends Error {
  /** @param code SQLite's, such as SQLITE_CORRUPT, or THREAD_ENDED; undefined for what is no error of SQLite's */
  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}
