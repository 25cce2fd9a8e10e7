import { renameSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { makePrivate } from '../private-file.js';
import { asIndexError } from './index-error.js';

/*
 * Where the index's file stands, which is the same path for several processes.
 */

/** While one of them opens the file, or sets it aside. */
const OTHERS_TURN_MS = 2_000;

/** One process at a time: of several that find the file damaged, a later one would set aside what the first has put there. */
export function alone<T>(path: string, work: () => T): T {
  makePrivate(`${path}.lock`);
  const lock = new Sqlite(`${path}.lock`, { timeout: OTHERS_TURN_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    lock.close();
  }
}

/** Which file stands there; undefined for none. @throws IndexError */
export function inodeOf(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  } catch (error) {
    throw asIndexError(error);
  }
}

/**
 * What cannot be read makes room for another one; it is kept, as the path may have been a mistake.
 * @param inode of what cannot be read: another process may have set it aside already
 */
export function setAside(path: string, inode: bigint | undefined): void {
  try {
    alone(path, () => {
      if (inodeOf(path) !== inode) return;
      if (inode !== undefined) renameSync(path, `${path}.damaged`);
      for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    });
  } catch (error) {
    throw asIndexError(error);
  }
}
