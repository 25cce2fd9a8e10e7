import { dirname } from 'node:path';
import { DatabaseUnusableError } from '../dialect.js';
import { codeOf } from '../error-code.js';
import { makeFolders } from '../../files/folders.js';

interface SqliteTrouble {
  codes: RegExp;
  /** For anybody: no path is told. */
  clause: string;
  /** What an operator does about it before the service can start. */
  remedy: string;
}

const TROUBLES: readonly SqliteTrouble[] = [
  {
    codes: /^SQLITE_(?:BUSY|LOCKED)/,
    clause: 'another process holds its file',
    remedy: 'end that process first, perhaps the version that served so far',
  },
  { codes: /^SQLITE_FULL/, clause: 'its disk is full', remedy: 'make room' },
  {
    codes: /^SQLITE_IOERR/,
    clause: 'its file cannot be written: the disk may be full or broken',
    remedy: 'look after the disk',
  },
  {
    codes: /^SQLITE_READONLY/,
    clause: 'its file is read-only',
    remedy: 'let the user of the service write the file and its folder',
  },
  {
    codes: /^SQLITE_CANTOPEN/,
    clause: 'its file cannot be opened',
    remedy:
      'name a file in a folder that the user of the service can write, and where it is there, give it to that user',
  },
  {
    codes: /^SQLITE_(?:NOTADB|CORRUPT)/,
    clause: 'its file is no SQLite database, or is damaged',
    remedy: 'name another file, or put a backup in its place',
  },
];

/** Why an error that is no defect came, in a clause that anybody may read. */
export function describeSqliteFailure(error: unknown): string {
  const code = String(codeOf(error));
  return TROUBLES.find(({ codes }) => codes.test(code))?.clause ?? `its answer is ${code}`;
}

/** Why a file cannot be used, and what to do; undefined for an error that the file is not to blame for. */
export function describeSqliteRefusal(path: string, error: unknown): string | undefined {
  const trouble = TROUBLES.find(({ codes }) => codes.test(String(codeOf(error))));
  return trouble && `${trouble.clause} (${path}); ${trouble.remedy}`;
}

/** @throws DatabaseUnusableError where there is no folder for the file, and none can be made */
export function makeFolderOf(path: string): void {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    throw new DatabaseUnusableError(`DATABASE_URL: its folder cannot be made (${(error as Error).message})`, {
      cause: error,
    });
  }
}
