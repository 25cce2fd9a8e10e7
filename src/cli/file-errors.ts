import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDenied } from '../database/dialects/error-code.js';

const CLAUSES: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => (existsSync(dirname(path)) ? 'there is no such file' : `there is no folder ${dirname(path)}`),
  ENOTDIR: (path) => `${dirname(path)} is no folder`,
  EISDIR: () => 'it is a folder',
  EACCES: () => 'this user may not',
  EPERM: () => 'this user may not',
  EROFS: () => 'the disk cannot be written',
  ENOSPC: () => 'the disk is full',
  EFBIG: () => 'it would be larger than this user may write',
};

/** What is told of an error: of the system's, about a file, a sentence in the place of a code; of a right that lacks, where rights are listed. */
export function describeError(error: unknown): string {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (isDenied(error)) return `${message}: see "Users of the database" in the documentation`;
  if (path === undefined) return message;
  const clause = CLAUSES[code]?.(path);
  // Of what is done to an open file, the system's words do not name it.
  if (clause === undefined && message.includes(path)) return message;
  return `${path} cannot be used: ${clause ?? message}`;
}
