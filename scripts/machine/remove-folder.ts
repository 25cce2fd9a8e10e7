import { rmSync } from 'node:fs';

const ATTEMPTS = 40;
const PAUSE_MS = 25;

/** Removes a folder, with retries because a process that was just killed may still write a file into it. */
export function removeFolder(folder: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
