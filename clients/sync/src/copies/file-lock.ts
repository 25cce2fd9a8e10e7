import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { EXIT, SyncError } from '../sync-error.js';
import { makeFolders } from './folders.js';

/** The limit of operating systems. */
const MAX_LINKS = 40;

/** Locks a file against a second runner by a lock file next to it, which the operating system unlocks however the process ends. */
export class FileLock {
  private constructor(private readonly handles: readonly Sqlite.Database[]) {}

  /**
   * Locks a symbolic link and its target, because the link may later be replaced by a file.
   * @param path of the file @throws SyncError if another process has locked it, or if the file has a second name
   */
  static acquire(path: string): FileLock {
    assertOneName(path);
    makeFolders(dirname(path));
    const handles: Sqlite.Database[] = [];
    for (const link of new Set(linksTo(path))) {
      try {
        const handle = new Sqlite(`${link}.lock`, { timeout: 0 });
        handles.push(handle);
        handle.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        for (const acquired of handles) acquired.close();
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
 * Refuses a file with several hard links. The names of its lock, WAL and position file derive from its name, so each name would be another copy.
 * @throws SyncError
 */
export function assertOneName(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink > 1)
    throw new SyncError(`${path} has ${found.nlink} names (hard links): copy the file, or remove the other names`);
}

/** The path of a file, existing or not, and of each symbolic link that leads to it. */
function linksTo(path: string, links = MAX_LINKS): string[] {
  const folder = dirname(path);
  const here = join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
  const target = links === 0 ? undefined : targetOf(here);
  return target === undefined ? [here] : [here, ...linksTo(resolve(dirname(here), target), links - 1)];
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
