import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { cleanUpAtExit } from '../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../scripts/machine/remove-folder.js';
import { wholeNumber } from '../test/support/arguments.js';

/** Where the databases of a run are. @param keep what `--keep` says; a folder that was not asked for goes at the end */
export function folderFor(keep: string | undefined): string {
  if (keep !== undefined) return resolvePath(keep);
  const folder = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  cleanUpAtExit(() => removeFolder(folder));
  return folder;
}

/** Several numbers for one option, told apart by commas or by telling the option again. */
export function numbers(text: string, before: number[] = []): number[] {
  return [...before, ...text.split(',').map(wholeNumber)];
}
