import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../dialects/error-code.js';
import { describeSqliteFailure } from '../dialects/sqlite/sqlite-messages.js';

/** Puts a finished file in its place, durably: whoever looks sees the old one or the new one. */
export function putInPlace(path: string, place: string): void {
  syncToDisk(path);
  renameSync(path, place);
  syncToDisk(dirname(place));
}

/**
 * What is told of what went wrong while a file was filled: SQLite says that a disk is full, and not which file was meant. Of a copy by pages
 * it does not say whether it was read or written.
 */
export function faultOf(path: string, error: unknown): unknown {
  if (!/^SQLITE_(FULL|IOERR($|_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE)))/.test(codeOf(error) ?? '')) return error;
  return new Error(`while ${path} was written: ${describeSqliteFailure(error)}`, { cause: error });
}

/** Removes a database's file and what SQLite keeps beside it. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
  removeCompanions(path);
}

/** Removes what SQLite keeps beside a database's file: it must never be taken for another one's. */
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
