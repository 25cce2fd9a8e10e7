import { codeOf } from '../dialects/error-code.js';

/** The index's file failed; the registry's own database has nothing to do with it. */
export class IndexError extends Error {
  /** SQLite's, such as SQLITE_CORRUPT; undefined for what is no error of SQLite's. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
    this.code = codeOf(cause);
  }
}

export function asIndexError(error: unknown): IndexError {
  return error instanceof IndexError ? error : new IndexError(error);
}
