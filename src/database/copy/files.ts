import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../dialects/error-code.js';
import { describeSqliteFailure } from '../dialects/sqlite/sqlite-messages.js';

/** Atomically and durably replaces the file at `target` by a finished one. */
export function replaceDurably(path: string, target: string): void {
  syncToDisk(path);
  renameSync(path, target);
  syncToDisk(dirname(target));
}

/**
 * Adds the file's name to an SQLite error while the file was written: SQLite's message does not name the file whose disk is full or broken.
 */
export function explainWriteError(path: string, error: unknown): unknown {
  if (!/^SQLITE_(FULL|IOERR($|_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE)))/.test(codeOf(error) ?? '')) return error;
  return new Error(`while ${path} was written: ${describeSqliteFailure(error)}`, { cause: error });
}

/** Removes a database's file and its companions. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
  removeCompanions(path);
}

/** Removes a database's WAL, shared memory and journal, which SQLite would otherwise apply to another file of that name. */
export function removeCompanions(path: string): void {
  for (const name of [`${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(name, { force: true });
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
