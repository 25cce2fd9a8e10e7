import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { namingFile } from './naming-file.js';

/** Suffix of the new file until it replaces the old one. */
export const NEXT = '.next';

/** Replaces a file atomically: readers see the old text or the new one, also after a power failure. */
export function replaceFile(path: string, text: string): void {
  const next = path + NEXT;
  const file = openSync(next, 'w');
  try {
    namingFile(next, 'written', () => {
      writeFileSync(file, text);
      fsyncSync(file);
    });
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}
