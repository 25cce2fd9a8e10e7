import { SyncError } from '../sync-error.js';

/** Neither SQLite nor what is done to an open file says which file it was. @throws SyncError that does */
export function namingFile<T>(path: string, verb: 'opened' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError(`${path} cannot be ${verb}: ${(error as Error).message}`, undefined, { cause: error });
  }
}
