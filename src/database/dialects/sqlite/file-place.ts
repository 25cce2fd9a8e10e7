import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** No system follows more. */
const MAX_LINKS = 40;

/**
 * Resolves symbolic links, also to a file that is not there yet, so that SQLite and the lock of a service keep their files beside the database,
 * whatever name it is given by.
 */
export function placeOf(path: string, links = MAX_LINKS): string {
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
