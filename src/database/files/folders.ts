import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whatever the umask: whoever may write to a folder may put another file in the place of one in it. */
export const WRITTEN_BY_ITS_OWNER_ALONE = 0o755;

/**
 * Makes a folder, and those that it is in. Node's own way tries for ever below /proc, where no folder can be made though the one above is there.
 * @throws the system's error
 */
export function makeFolders(path: string): void {
  if (isFolder(path)) return;
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  try {
    mkdirSync(path, WRITTEN_BY_ITS_OWNER_ALONE);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
