import { existsSync, realpathSync, statSync } from 'node:fs';

/** The code of what was not committed, as it would be lost with the file. */
export const MOVED = 'SQLITE_MOVED';

/** Where a database's file is: beside a symbolic link to it there would be another lock. */
export function placeOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Inodes of a database's file, of the log and of the lock beside it; undefined for what is not there. */
export type FilesThere = readonly (bigint | undefined)[];

export function filesAt(path: string): FilesThere {
  return [path, `${path}-wal`, `${path}.lock`].map(
    (one) => statSync(one, { bigint: true, throwIfNoEntry: false })?.ino,
  );
}

/**
 * SQLite writes on to a file that stands at its path no more: who starts there the next time does not find that. Where the lock does not,
 * another service may have begun.
 * @param opened as it was when the file was opened
 */
export function isMoved(path: string, opened: FilesThere): boolean {
  try {
    const now = filesAt(path);
    return opened.some((inode, i) => inode !== undefined && inode !== now[i]);
  } catch {
    // A folder that may not be looked into is no sign of it.
    return false;
  }
}
