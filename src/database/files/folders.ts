import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Regardless of the umask: a user who can write to a folder can replace files in it. */
export const MODE_OWNER_WRITES = 0o755;

/**
 * Creates a folder and its parents. Not with Node's `recursive`, which retries forever below /proc, where creating a folder fails although
 * its parent exists.
 * @throws the system's error
 */
export function createFolders(path: string): void {
  if (isFolder(path)) return;
  if (!existsSync(dirname(path))) createFolders(dirname(path));
  try {
    mkdirSync(path, MODE_OWNER_WRITES);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
