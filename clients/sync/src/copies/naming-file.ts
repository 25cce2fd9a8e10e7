import { SyncError } from '../sync-error.js';

/** Neither SQLite nor what is done to an open file says which file it was. @throws SyncError that does */
export function namingFile<T>(path: string, verb: 'opened' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    // What neither SQLite nor the system says is a defect of ours, and stays what it is.
    if (!isOfFile(error)) throw error;
    throw new SyncError(`${path} cannot be ${verb}: ${(error as Error).message}`, undefined, { cause: error });
  }
}

function isOfFile(error: unknown): boolean {
  const { code, errno } = error as NodeJS.ErrnoException;
  return errno !== undefined || code?.startsWith('SQLITE_') === true;
}
