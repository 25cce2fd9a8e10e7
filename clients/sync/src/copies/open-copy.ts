import type { Copy, CopyState } from './copy.js';
import { JsonlCopy } from './jsonl-copy.js';
import { namingFile } from './naming-file.js';
import { serverDatabase } from './server-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { TableCopy } from './table-copy.js';
import { isServer, type Target } from './target.js';

/**
 * Opens a copy to write to it; it need not be there yet.
 * @param beside a new one, beside the one that is there
 * @throws SyncError while another runner writes to it
 */
export function openCopy(target: Target, beside: boolean): Promise<Copy> {
  return opened(target, beside, 'open');
}

/**
 * Opens a copy to look at it, also while a runner writes.
 * @param beside the one that is made beside it
 * @throws SyncError where there is none
 */
export function openCopyToRead(target: Target, beside = false): Promise<Copy> {
  return opened(target, beside, 'openToRead');
}

async function opened(target: Target, beside: boolean, open: 'open' | 'openToRead'): Promise<Copy> {
  if (isServer(target)) return new TableCopy(await serverDatabase(target)[open](target), beside);
  const { kind, path } = target;
  return namingFile(path, 'opened', () =>
    kind === 'sqlite' ? new TableCopy(SqliteDatabase[open](path), beside) : JsonlCopy[open](path, beside),
  );
}

/** Reads the state of a copy, for which nothing is made. @returns undefined where there is none @throws SyncError as `openCopyToRead` */
export async function readStateOf(target: Target, beside = false): Promise<CopyState | undefined> {
  const copy = await openCopyToRead(target, beside);
  try {
    return await copy.readState();
  } finally {
    await copy.close();
  }
}
