import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type DatabaseKind, startDatabase } from '../faults/databases.js';

/** Runs a measurement on an empty database of its own: a file, or a server that is started and ended here. */
export async function withPrivateDatabase<T>(
  kind: DatabaseKind,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-reliability-'));
  const exit = cleanUpAtExit(() => removeFolder(folder));
  try {
    const database = await startDatabase(kind, folder);
    console.log(database.origin);
    try {
      return await work(database.url);
    } finally {
      await database.stop();
    }
  } finally {
    removeFolder(folder);
    exit.revoke();
  }
}
