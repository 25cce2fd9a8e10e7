import { existsSync } from 'node:fs';
import { codeOf } from '../dialects/error-code.js';
import { type History, readWholeHistory } from '../history.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables, type Comparison } from './digest.js';
import { createPrivateFile } from '../private-file.js';
import { faultOf, putInPlace, removeFile } from './files.js';
import type { Progress } from './progress.js';

/** What a backup holds. */
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
    to.file.leaveOne();
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
