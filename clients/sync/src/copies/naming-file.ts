import { SyncError } from '../sync-error.js';

/** Adds the file to errors of SQLite and of file operations, which do not name it. @throws SyncError */
export function namingFile<T>(path: string, verb: 'opened' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    // Other errors are our own defects, and stay unchanged.
    if (!isOfFile(error)) throw error;
    throw new SyncError(`${path} cannot be ${verb}: ${(error as Error).message}`, undefined, { cause: error });
  }
}

function isOfFile(error: unknown): boolean {
  const { code, errno } = error as NodeJS.ErrnoException;
  return errno !== undefined || code?.startsWith('SQLITE_') === true;
}
