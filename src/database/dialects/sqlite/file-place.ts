import { statSync } from 'node:fs';

/** The code of what was not committed, as it would be lost with the file. */
export const MOVED = 'SQLITE_MOVED';

/** Inodes of a database's file and of the log beside it; undefined for what is not there. */
export type FilesThere = readonly (bigint | undefined)[];

export function filesAt(path: string): FilesThere {
  return [path, `${path}-wal`].map((one) => statSync(one, { bigint: true, throwIfNoEntry: false })?.ino);
}

/**
 * SQLite writes on to a file that stands at its path no more: who starts there the next time does not find that.
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
