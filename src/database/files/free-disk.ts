import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What of a disk is free for the service. */
export interface FreeDisk {
  bytes: number;
  /** From 0 to 1. */
  share: number;
}

/** How much is free on the disk under a file. @param fileSystem of a path, in blocks @throws the system's error */
export async function freeDiskUnder(
  path: string,
  fileSystem: (path: string) => Promise<Record<'bavail' | 'blocks' | 'bsize', number>> = statfs,
): Promise<FreeDisk> {
  const { bavail, blocks, bsize } = await fileSystem(dirname(path));
  return { bytes: bavail * bsize, share: bavail / blocks };
}
