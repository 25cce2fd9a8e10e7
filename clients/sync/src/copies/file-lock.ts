import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { EXIT, SyncError } from '../sync-error.js';
import { makeFolders } from './folders.js';

/** No system follows more. */
const MOST_LINKS = 40;

/** Keeps a second runner away from a file, by another one beside it; the operating system lets go of it however the process dies. */
export class FileLock {
  private constructor(private readonly handle: Sqlite.Database) {}

  /** @param path of the file @throws SyncError while another process has it */
  static take(path: string): FileLock {
    makeFolders(dirname(path));
    const handle = new Sqlite(`${placeOf(path)}.lock`, { timeout: 0 });
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

/** Where the file is, or will be: beside a symbolic link to it there would be another lock. */
function placeOf(path: string, links = MOST_LINKS): string {
  if (existsSync(path)) return realpathSync(path);
  const target = targetOf(path);
  return target === undefined || links === 0 ? path : placeOf(resolve(dirname(path), target), links - 1);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link; or whoever opens it says what is wrong.
    return undefined;
  }
}

export function lockedError(shown: string, cause?: unknown): SyncError {
  return new SyncError(`Another registry-sync is writing to ${shown}`, EXIT.locked, { cause });
}
