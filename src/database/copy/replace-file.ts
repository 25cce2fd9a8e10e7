import { chmodSync, chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, isBusy, isUnreadable } from '../dialects/error-code.js';
import { type History, readWholeHistory } from '../repositories/feed-history.js';
import { SqliteLock } from '../dialects/sqlite/sqlite-lock.js';
import { writeAudit, type Operator } from './audit-command.js';
import { CopiedDatabase, type CopiedFile } from './copied-database.js';
import type { Redaction } from '../entities/redaction.entity.js';
import { readRedactions } from '../repositories/redactions.js';
import { type ReapplyRedaction, reapplyRedactionsSince } from './reapply-redactions.js';
import { createFolders } from '../files/folders.js';
import { createPrivateFile } from '../files/private-file.js';
import { explainWriteError, replaceDurably, removeCompanions, removeFile } from './files.js';
import {
  continueFrom,
  type HighWaterMarks,
  type AfterBackup,
  readHighWaterMarks,
  writeHighWaterMarks,
} from './high-water-marks.js';
import type { Progress } from './progress.js';
import { assertReplaceable } from './replaceable.js';

/** The operator's options of a restore. */
export interface RestoreOptions extends Omit<AfterBackup, 'replaced' | 'redactions'> {
  /** Whether existing data may be discarded. */
  replace: boolean;
  /** Maximum difference between the clock and the backup's last instant. */
  maxJumpUs: number;
  /** Erasures from a list, in addition to those in the databases. */
  redactions: readonly Redaction[];
  reapplyRedaction: ReapplyRedaction;
  /** For the audit of the restored database. */
  operator: Operator;
}

export interface Restored extends History {
  /** Number of erasures that were repeated. */
  repeatedErasures: number;
  /** Whether erasures after the backup were known, from the replaced database or a list. */
  areErasuresKnown: boolean;
}

interface Replaced extends HighWaterMarks {
  redactions: readonly Redaction[];
}

/** Builds the restored database next to the old file, which stays unchanged until it is replaced by a rename. */
export async function replaceFile(
  backup: CopiedFile,
  path: string,
  options: RestoreOptions,
  progress: Progress,
): Promise<Restored> {
  createFolders(dirname(path));
  const built = `${path}.restoring`;
  const lock = new SqliteLock(path);
  lock.acquire();
  try {
    await readReplaced(path, options.replace);
    removeFile(built);
    createPrivateFile(built);
    await backup.file.copyTo(built, progress);
    // Again, because a command may have changed the old file meanwhile. The remaining steps are short.
    const replaced = await readReplaced(path, options.replace);
    const restored = await finish(built, backup.name, { ...options, replaced });
    if (existsSync(path)) copyOwnership(path, built);
    removeCompanions(path);
    replaceDurably(built, path);
    return restored;
  } catch (error) {
    removeFile(built);
    throw explainWriteError(path, error);
  } finally {
    lock.release();
  }
}

/** @returns undefined if there is no file, or an unreadable one that may be discarded */
async function readReplaced(path: string, replace: boolean): Promise<Replaced | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return await readAndMergeWal(path, replace);
  } catch (error) {
    if (isBusy(error)) throw new Error(`Another process uses ${path}: end it first`, { cause: error });
    if (!isUnreadable(error)) throw error;
    if (replace) return undefined;
    throw new Error(`${path} cannot be read (${codeOf(error)}): --replace discards it`, { cause: error });
  }
}

async function readAndMergeWal(path: string, replace: boolean): Promise<Replaced | undefined> {
  const old = await CopiedDatabase.openFile(path, 'write');
  try {
    if (replace && !(await old.isRegistry())) return undefined;
    await old.assertKnownVersion();
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
  options: RestoreOptions & { replaced: Replaced | undefined },
): Promise<Restored> {
  const built = await CopiedDatabase.openFile(path, 'write');
  try {
    await built.migrate();
    await readWholeHistory(built.session);
    const next = continueFrom(await readHighWaterMarks(built), options);
    await writeAudit(built, { ...options.operator, action: 'db.restore', detail: { file } });
    await writeHighWaterMarks(built, next, options.nowUs);
    const known = [...(options.replaced?.redactions ?? []), ...options.redactions];
    const repeatedErasures = await reapplyRedactionsSince(
      built,
      await readRedactions(built.session),
      known,
      options.reapplyRedaction,
    );
    built.file.mergeWal();
    return {
      ...next.history,
      repeatedErasures,
      areErasuresKnown: options.replaced !== undefined || options.redactions.length > 0,
    };
  } finally {
    await built.close();
  }
}

function copyOwnership(from: string, to: string): void {
  const { mode, uid, gid } = statSync(from);
  chmodSync(to, mode);
  chownSync(to, uid, gid);
}
