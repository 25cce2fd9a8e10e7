import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Sqlite from 'embedded-sqlite';
import { EXIT, SyncError } from '../sync-error.js';
import { makeFolders } from './folders.js';

/** No system follows more. */
const MAX_LINKS = 40;

/** Keeps a second runner away from a file, by another one beside it; the operating system lets go of it however the process dies. */
export class FileLock {
  private constructor(private readonly handles: readonly Sqlite.Database[]) {}

  /**
   * Beside a symbolic link and beside what it leads to: the link may become a file of its own.
   * @param path of the file @throws SyncError while another process has it, and where the file has a second name
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

/** What stands beside a file (locks, SQLite's log, the position) has its name: two names would be two copies in one file. @throws SyncError */
export function assertOneName(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink > 1)
    throw new SyncError(`${path} has ${found.nlink} names (hard links): copy the file, or remove the other names`);
}

/** Where a file is, or will be, and each symbolic link on the way to it. */
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
    // It is no link; or whoever opens it says what is wrong.
    return undefined;
  }
}

export function lockedError(shown: string, cause?: unknown): SyncError {
  return new SyncError(`Another registry-sync is writing to ${shown}`, EXIT.locked, { cause });
}
