import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The code of what was not committed, as it would be lost with the file. */
export const MOVED = 'SQLITE_MOVED';
/** No system follows more. */
const MOST_LINKS = 40;

/** Where a database's file is, or will be: beside a symbolic link to it there would be another lock. */
export function placeOf(path: string, links = MOST_LINKS): string {
  if (existsSync(path)) return realpathSync(path);
  const target = targetOf(path);
  return target === undefined || links === 0 ? path : placeOf(resolve(dirname(path), target), links - 1);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link; or SQLite will say what is wrong.
    return undefined;
  }
}

/** Inodes by their paths: of a database's file, of the log and of the lock beside it; undefined for what is not there. */
export type FilesThere = ReadonlyMap<string, bigint | undefined>;

/** @param path as it is given: a link in it may lead elsewhere later */
export function filesAt(path: string): FilesThere {
  const place = placeOf(path);
  return new Map([path, `${place}-wal`, `${place}.lock`].map((one) => [one, inodeAt(one)]));
}

function inodeAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * SQLite writes on to a file that stands at its path no more: who starts there the next time does not find that. Where the lock does not,
 * another service may have begun.
 * @param opened as it was when the file was opened
 */
export function isMoved(opened: FilesThere): boolean {
  try {
    return [...opened].some(([path, inode]) => inode !== undefined && inode !== inodeAt(path));
  } catch {
    // A folder that may not be looked into is no sign of it.
    return false;
  }
}
