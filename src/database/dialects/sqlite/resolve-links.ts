import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * Resolves symbolic links, even to a file that does not exist yet, so that the files of SQLite and of the lock are next to the database under
 * each of its names.
 */
export function resolveLinks(path: string, links = MAX_LINKS): string {
  if (existsSync(path)) return realpathSync(path);
  const target = targetOf(path);
  return target === undefined || links === 0 ? path : resolveLinks(resolve(dirname(path), target), links - 1);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link; SQLite reports any other error.
    return undefined;
  }
}
