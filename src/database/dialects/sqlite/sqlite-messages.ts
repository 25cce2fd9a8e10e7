import { dirname } from 'node:path';
import { DatabaseUnusableError } from '../dialect.js';
import { codeOf } from '../error-code.js';
import { createFolders } from '../../files/folders.js';

interface SqliteProblem {
  codes: RegExp;
  /** Safe to publish: without a path. */
  clause: string;
  /** For the operator. */
  remedy: string;
}

const PROBLEMS: readonly SqliteProblem[] = [
  {
    codes: /^SQLITE_(?:BUSY|LOCKED)/,
    clause: 'another process has locked its file',
    remedy: 'end that process first, perhaps the version that served so far',
  },
  { codes: /^SQLITE_FULL/, clause: 'its disk is full', remedy: 'make room' },
  {
    codes: /^SQLITE_IOERR/,
    clause: 'its file cannot be written: the disk may be full or broken',
    remedy: 'check the disk',
  },
  {
    codes: /^SQLITE_READONLY/,
    clause: 'its file is read-only',
    remedy: 'let the user of the service write the file and its folder',
  },
  {
    codes: /^SQLITE_CANTOPEN/,
    clause: 'its file cannot be opened',
    remedy: 'name a file in a folder that the service’s user can write, and make an existing file that user’s',
  },
  {
    codes: /^SQLITE_(?:NOTADB|CORRUPT)/,
    clause: 'its file is not an SQLite database, or is damaged',
    remedy: 'name another file, or restore a backup',
  },
];

/** Cause of an error other than a defect, as a clause that is safe to publish. */
export function describeSqliteFailure(error: unknown): string {
  const code = String(codeOf(error));
  return PROBLEMS.find(({ codes }) => codes.test(code))?.clause ?? `its answer is ${code}`;
}

/** Why a file cannot be used, and what to do; undefined for an error with another cause. */
export function describeSqliteRefusal(path: string, error: unknown): string | undefined {
  const trouble = PROBLEMS.find(({ codes }) => codes.test(String(codeOf(error))));
  return trouble && `${trouble.clause} (${path}); ${trouble.remedy}`;
}

/** @throws DatabaseUnusableError if the file's folder cannot be created */
export function createFolderOf(path: string): void {
  try {
    createFolders(dirname(path));
  } catch (error) {
    throw new DatabaseUnusableError(`DATABASE_URL: its folder cannot be created (${(error as Error).message})`, {
      cause: error,
    });
  }
}
