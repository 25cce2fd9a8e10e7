import { existsSync } from 'node:fs';
import { codeOf } from '../dialects/error-code.js';
import { type History, readWholeHistory } from '../repositories/feed-history.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables, type Comparison } from './digest.js';
import { Asset } from '../entities/asset.entity.js';
import { createPrivateFile } from '../files/private-file.js';
import { explainWriteError, replaceDurably, removeFile } from './files.js';
import type { Progress } from './progress.js';
import { countRows } from './rows.js';
import type { CopiedTable } from './tables.js';

interface Backup {
  history: History;
  tables: Comparison[];
}

/**
 * Copies a snapshot of a database into a new SQLite file, which is a complete registry. Services may continue meanwhile.
 * @throws Error if the file exists already, the database cannot be copied, or the copy differs
 */
export async function backUp(databaseUrl: string, path: string, progress: Progress): Promise<Backup> {
  if (existsSync(path)) throw new Error(`${path} exists already: a backup never overwrites a file`);
  const from = await CopiedDatabase.open(databaseUrl, 'read');
  try {
    await from.assertCurrent();
    const partial = `${path}.partial`;
    createPartial(partial);
    try {
      const backup = await copyTo(from, partial, progress);
      replaceDurably(partial, path);
      return backup;
    } catch (error) {
      removeFile(partial);
      throw explainWriteError(path, error);
    }
  } finally {
    await from.close();
  }
}

/**
 * Checks a backup without changing it.
 * @returns the number of its assets
 * @throws Error if it is damaged, or has no digest
 */
export async function verifyBackup(path: string, progress: Progress): Promise<number> {
  const backup = await CopiedDatabase.openFile(path, 'read');
  try {
    backup.file.assertIntact();
    await backup.assertKnownVersion();
    if (!backup.file.checkDigest(progress)) throw new Error(noDigestMessage(path));
    const assets = backup.tables.find(({ entity }) => entity === Asset) as CopiedTable;
    return await countRows(backup.session, assets);
  } finally {
    await backup.close();
  }
}

export function noDigestMessage(path: string): string {
  return `${path} has no digest, because an earlier version made it, or it was served or migrated since: SQLite finds its structure sound, but would not notice a damaged value`;
}

function createPartial(path: string): void {
  try {
    createPrivateFile(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${path} exists: another backup is running, or one was interrupted; in that case remove it`, {
      cause: error,
    });
  }
}

async function copyTo(from: CopiedDatabase, path: string, progress: Progress): Promise<Backup> {
  await from.beginSnapshot();
  const history = await readWholeHistory(from.session);
  await from.file?.copyTo(path, progress);
  const to = await CopiedDatabase.openFile(path, 'write');
  try {
    if (from.file === undefined) await fill(to, from, history, progress);
    const tables = await compareTables(from, to, progress);
    assertEqual(tables);
    await readWholeHistory(to.session);
    to.file.addDigest(progress);
    to.file.mergeWal();
    to.file.assertIntact();
    return { history, tables };
  } finally {
    await to.close();
  }
}

async function fill(to: CopiedDatabase, from: CopiedDatabase, history: History, progress: Progress): Promise<void> {
  await to.migrate();
  await emptyTables(to);
  await copyTables(from, to, progress);
  await to.writeHistory(history);
}
