import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder inside the run's folder, which global-setup.ts removes. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'registry-'));
}
