import { chmodSync, chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, isBusy, isUnreadable } from '../dialects/error-code.js';
import { type History, readWholeHistory } from '../repositories/feed-history.js';
import { SqliteLock } from '../dialects/sqlite/sqlite-lock.js';
import { auditIn, type Operator } from './audit-command.js';
import { CopiedDatabase, type CopiedFile } from './copied-database.js';
import type { Redaction } from '../entities/redaction.entity.js';
import { readRedactions } from '../repositories/redactions.js';
import { type ReapplyRedaction, reapplyRedactionsSince } from './reapply-redactions.js';
import { makeFolders } from '../files/folders.js';
import { createPrivateFile } from '../files/private-file.js';
import { faultOf, putInPlace, removeCompanions, removeFile } from './files.js';
import {
  continueFrom,
  type HighWaterMarks,
  type Lost,
  readHighWaterMarks,
  writeHighWaterMarks,
} from './high-water-marks.js';
import type { Progress } from './progress.js';
import { assertReplaceable } from './replaceable.js';

/** What the operator says about a restore. */
export interface RestoreOrder extends Omit<Lost, 'replaced' | 'redactions'> {
  /** Whether data may be thrown away. */
  replace: boolean;
  /** How far the clock may be ahead of the backup's last instant. */
  longestRestUs: number;
  /** What was erased, where nothing but a listed journal tells of it. */
  redactions: readonly Redaction[];
  reapplyRedaction: ReapplyRedaction;
  /** For the audit of the restored database. */
  operator: Operator;
}

export interface Restored extends History {
  /** How many erasures were done again that the backup did not have. */
  erasedAgain: number;
  /** Whether there was anything to tell of erasures after the backup: what it replaced, or a listed journal. */
  isJournalKnown: boolean;
}

/** What is thrown away, and what was erased of it. */
interface Replaced extends HighWaterMarks {
  redactions: readonly Redaction[];
}

/** Builds the restored database beside the old file and then renames it: until then the old one is as it was. */
export async function replaceFile(
  backup: CopiedFile,
  path: string,
  order: RestoreOrder,
  progress: Progress,
): Promise<Restored> {
  makeFolders(dirname(path));
  const built = `${path}.restoring`;
  const lock = new SqliteLock(path);
  lock.acquire();
  try {
    await readReplaced(path, order.replace);
    removeFile(built);
    createPrivateFile(built);
    await backup.file.copyTo(built, progress);
    // Once more: a command may have used the old file meanwhile. From here on nothing takes long.
    const replaced = await readReplaced(path, order.replace);
    const restored = await finish(built, backup.name, { ...order, replaced });
    if (existsSync(path)) keepOwner(path, built);
    removeCompanions(path);
    putInPlace(built, path);
    return restored;
  } catch (error) {
    removeFile(built);
    throw faultOf(path, error);
  } finally {
    lock.release();
  }
}

/** @returns undefined where there is no file, or one that cannot be read and may be thrown away all the same */
async function readReplaced(path: string, replace: boolean): Promise<Replaced | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return await readAndSettle(path, replace);
  } catch (error) {
    if (isBusy(error)) throw new Error(`Another process uses ${path}: end it first`, { cause: error });
    if (!isUnreadable(error)) throw error;
    if (replace) return undefined;
    throw new Error(`${path} cannot be read (${codeOf(error)}): --replace throws it away`, { cause: error });
  }
}

async function readAndSettle(path: string, replace: boolean): Promise<Replaced | undefined> {
  const old = await CopiedDatabase.openFile(path, 'write');
  try {
    if (replace && !(await old.isRegistry())) return undefined;
    await old.assertKnown();
    await old.migrate();
    await assertReplaceable(old, replace);
    const replaced = { ...(await readHighWaterMarks(old)), redactions: await readRedactions(old.session) };
    old.file.mergeWal();
    return replaced;
  } finally {
    await old.close();
  }
}

async function finish(
  path: string,
  file: string,
  lost: RestoreOrder & { replaced: Replaced | undefined },
): Promise<Restored> {
  const built = await CopiedDatabase.openFile(path, 'write');
  try {
    await built.migrate();
    await readWholeHistory(built.session);
    const next = continueFrom(await readHighWaterMarks(built), lost);
    await auditIn(built, { ...lost.operator, action: 'db.restore', detail: { file } });
    await writeHighWaterMarks(built, next, lost.nowUs);
    const known = [...(lost.replaced?.redactions ?? []), ...lost.redactions];
    const erasedAgain = await reapplyRedactionsSince(
      built,
      await readRedactions(built.session),
      known,
      lost.reapplyRedaction,
    );
    built.file.mergeWal();
    return { ...next.history, erasedAgain, isJournalKnown: lost.replaced !== undefined || lost.redactions.length > 0 };
  } finally {
    await built.close();
  }
}

function keepOwner(from: string, to: string): void {
  const { mode, uid, gid } = statSync(from);
  chmodSync(to, mode);
  chownSync(to, uid, gid);
}
