import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder. It is removed with that of the whole run, which global-setup.ts makes. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'registry-'));
}
