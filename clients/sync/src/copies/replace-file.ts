import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { namingFile } from './naming-file.js';

/** The name of the new one until it takes its place. */
export const NEXT = '.next';

/** Whoever reads the file finds the old text or the new one, also after a loss of power. */
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
