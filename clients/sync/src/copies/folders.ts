import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents. Node's `recursive` loops forever below /proc, where no folder can be made though the parent exists.
 * @throws the system's error
 */
export function makeFolders(path: string): void {
  if (isFolder(path)) return;
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another runner may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
