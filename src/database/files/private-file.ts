import { closeSync, openSync } from 'node:fs';

const MODE_OWNER_ONLY = 0o600;

/** Creates an empty file that only its owner can read. @throws EEXIST */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', MODE_OWNER_ONLY));
}

/**
 * The same unless the file exists, also for the target of a symbolic link; leaves an existing file's rights unchanged. SQLite gives its WAL
 * and journal the rights of the database.
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', MODE_OWNER_ONLY));
  } catch {
    // SQLite reports the error.
  }
}
