import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDenied } from '../database/dialects/error-code.js';

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => (existsSync(dirname(path)) ? 'there is no such file' : `there is no folder ${dirname(path)}`),
  ENOTDIR: (path) => `${dirname(path)} is not a folder`,
  EISDIR: () => 'it is a folder',
  EACCES: () => 'permission denied',
  EPERM: () => 'permission denied',
  EROFS: () => 'the file system is read-only',
  ENOSPC: () => 'the disk is full',
  EFBIG: () => 'it would exceed the file size limit of this user',
};

/** Describes an error for the operator: a system error about a file by a sentence instead of its code, a missing grant with the page that lists grants. */
export function describeError(error: unknown): string {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (isDenied(error)) return `${message}: see "Users of the database" in the documentation`;
  if (path === undefined) return message;
  const reason = REASONS[code]?.(path);
  // The system's message omits the path if the file was already open.
  if (reason === undefined && message.includes(path)) return message;
  return `${path} cannot be used: ${reason ?? message}`;
}
