import { existsSync } from 'node:fs';
import { codeOf } from '../dialects/error-code.js';
import { type History, readWholeHistory } from '../repositories/feed-history.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables, type Comparison } from './digest.js';
import { Asset } from '../entities/asset.entity.js';
import { createPrivateFile } from '../files/private-file.js';
import { faultOf, putInPlace, removeFile } from './files.js';
import type { Progress } from './progress.js';
import { countRows } from './rows.js';
import type { CopiedTable } from './tables.js';

interface Backup {
  history: History;
  tables: Comparison[];
}

/**
 * Copies one moment of a database into a new SQLite file, which is a complete database of a registry. Services may go on meanwhile.
 * @throws Error when the file is there already, the database cannot be copied, or the copy is not the same as what was read
 */
export async function backUp(databaseUrl: string, path: string, progress: Progress): Promise<Backup> {
  if (existsSync(path)) throw new Error(`${path} is there already: a backup never overwrites a file`);
  const from = await CopiedDatabase.open(databaseUrl, 'read');
  try {
    await from.assertCurrent();
    const partial = `${path}.partial`;
    createPartial(partial);
    try {
      const backup = await copyTo(from, partial, progress);
      putInPlace(partial, path);
      return backup;
    } catch (error) {
      removeFile(partial);
      throw faultOf(path, error);
    }
  } finally {
    await from.close();
  }
}

/**
 * Checks a backup, and changes nothing.
 * @returns how many assets it holds
 * @throws Error when it is damaged, or carries no digest
 */
export async function verifyBackup(path: string, progress: Progress): Promise<number> {
  const backup = await CopiedDatabase.openFile(path, 'read');
  try {
    backup.file.assertIntact();
    await backup.assertKnown();
    if (!backup.file.checkDigest(progress)) throw new Error(withoutDigest(path));
    const assets = backup.tables.find(({ entity }) => entity === Asset) as CopiedTable;
    return await countRows(backup.session, assets);
  } finally {
    await backup.close();
  }
}

/** @returns what to say of a backup of which the values cannot be checked */
export function withoutDigest(path: string): string {
  return `${path} carries no digest, as an earlier version made it, or it was served or migrated since: SQLite finds its structure sound, but a damaged value is not noticed`;
}

function createPartial(path: string): void {
  try {
    createPrivateFile(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${path} is there: another backup is under way, or one was broken off; in that case remove it`, {
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
