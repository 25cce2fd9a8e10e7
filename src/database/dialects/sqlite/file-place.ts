import { existsSync, realpathSync } from 'node:fs';

/** Resolves symbolic links, so that SQLite and the lock of a service keep their files beside the database, whatever name it is given by. */
export function placeOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
