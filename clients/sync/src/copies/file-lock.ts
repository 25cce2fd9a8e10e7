import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { EXIT, SyncError } from '../sync-error.js';
import { makeFolders } from './folders.js';

/** Keeps a second runner away from a file, by another one beside it; the operating system lets go of it however the process dies. */
export class FileLock {
  private constructor(private readonly handle: Sqlite.Database) {}

  /** @param path of the file @throws SyncError while another process has it */
  static take(path: string): FileLock {
    makeFolders(dirname(path));
    const handle = new Sqlite(`${path}.lock`, { timeout: 0 });
    try {
      handle.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      handle.close();
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      throw lockedError(path, error);
    }
    return new FileLock(handle);
  }

  release(): void {
    this.handle.close();
  }
}

export function lockedError(shown: string, cause?: unknown): SyncError {
  return new SyncError(`Another registry-sync is writing to ${shown}`, EXIT.locked, { cause });
}
