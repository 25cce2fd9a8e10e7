import { closeSync, openSync } from 'node:fs';

const FOR_THE_OWNER_ALONE = 0o600;

/** Creates an empty file that only its owner can read: what will be in it lets nobody in, but is nobody's business. @throws EEXIST */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', FOR_THE_OWNER_ALONE));
}

/**
 * The same where there is none yet, also where a symbolic link leads to it: one that is there stays as its owner made it. SQLite gives the
 * files beside a database the rights of the database.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', FOR_THE_OWNER_ALONE));
  } catch {
    // SQLite will say what is wrong.
  }
}
