import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/libexec'];

/** The path of the first of these programs that is installed, also in folders that an ordinary user's PATH lacks. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_FOLDERS].filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Whether this is a program that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
