import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CopiedDatabase } from './copied-database.js';
import type { Progress } from './progress.js';

const PAGES_A_STEP = 2_000;

/**
 * Copies the pages of a file's open snapshot. Without one SQLite begins again whenever somebody writes, and may never come to an end.
 */
export async function copyPages(from: CopiedDatabase, path: string, progress: Progress): Promise<void> {
  progress.begin('copy pages', Number(from.handle.pragma('page_count', { simple: true })));
  const { totalPages } = await from.handle.backup(path, {
    progress: ({ totalPages: pages, remainingPages }) => {
      progress.reach(pages - remainingPages);
      return PAGES_A_STEP;
    },
  });
  progress.reach(totalPages);
  progress.end();
}

/** Puts a finished file in its place, durably: whoever looks sees the old one or the new one. */
export function putInPlace(path: string, place: string): void {
  syncToDisk(path);
  renameSync(path, place);
  syncToDisk(dirname(place));
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
