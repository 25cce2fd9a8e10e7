import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { EXIT, SyncError } from '../sync-error.js';
import { makeFolders } from './folders.js';

/** No system follows more links. */
const MAX_LINKS = 40;

/** Locks a file against a second runner, by a lock file beside it; the operating system releases it however the process ends. */
export class FileLock {
  private constructor(private readonly handles: readonly Sqlite.Database[]) {}

  /**
   * Locks a symbolic link and its target: the link may later become a file.
   * @param path of the file @throws SyncError if another process has locked it, or if the file has a second name
   */
  static take(path: string): FileLock {
    assertOneName(path);
    makeFolders(dirname(path));
    const handles: Sqlite.Database[] = [];
    for (const place of new Set(placesOf(path))) {
      try {
        const handle = new Sqlite(`${place}.lock`, { timeout: 0 });
        handles.push(handle);
        handle.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        for (const taken of handles) taken.close();
        if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
        throw lockedError(path, error);
      }
    }
    return new FileLock(handles);
  }

  release(): void {
    for (const handle of this.handles) handle.close();
  }
}

/**
 * Files beside a copy (locks, SQLite's WAL, the position) derive their names from its name, so a second name would be a second copy. @throws
 * SyncError
 */
export function assertOneName(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink > 1)
    throw new SyncError(`${path} has ${found.nlink} names (hard links): copy the file, or remove the other names`);
}

/** The path of a file, existing or not, and of each symbolic link on the way to it. */
function placesOf(path: string, links = MAX_LINKS): string[] {
  const folder = dirname(path);
  const here = join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
  const target = links === 0 ? undefined : targetOf(here);
  return target === undefined ? [here] : [here, ...placesOf(resolve(dirname(here), target), links - 1)];
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link; other errors are reported when the file is opened.
    return undefined;
  }
}

export function lockedError(shown: string, cause?: unknown): SyncError {
  return new SyncError(`Another registry-sync is writing to ${shown}`, EXIT.locked, { cause });
}
