import { renameSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { makePrivate } from '../private-file.js';
import { asIndexError } from './index-error.js';

/*
 * Where the index's file stands, which is the same path for several processes.
 */

/**
 * One process at a time opens the file, or sets it aside: of several that find it damaged, a later one would set aside what the first has put
 * there.
 * @param patienceMs how long another one may take
 */
export function alone<T>(path: string, patienceMs: number, work: () => T): T {
  makePrivate(`${path}.lock`);
  const lock = new Sqlite(`${path}.lock`, { timeout: patienceMs });
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
export function setAside(path: string, inode: bigint | undefined, patienceMs: number): void {
  try {
    alone(path, patienceMs, () => {
      if (inodeOf(path) !== inode) return;
      if (inode !== undefined) renameSync(path, `${path}.damaged`);
      for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    });
  } catch (error) {
    throw asIndexError(error);
  }
}
