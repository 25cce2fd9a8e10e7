import type { Copy, CopyState } from './copy.js';
import { JsonlCopy } from './jsonl-copy.js';
import { namingFile } from './naming-file.js';
import { serverDatabase } from './server-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { TableCopy } from './table-copy.js';
import { isServer, type Target } from './target.js';

/**
 * Opens a copy for writing; it need not exist yet.
 * @param isResync opens the new copy that will replace the existing one
 * @throws SyncError while another runner writes to it
 */
export function openCopy(target: Target, isResync: boolean): Promise<Copy> {
  return opened(target, isResync, 'open');
}

/**
 * Opens a copy for reading, also while a runner writes.
 * @param isResync opens the new copy that will replace the existing one
 * @throws SyncError if it does not exist
 */
export function openCopyToRead(target: Target, isResync = false): Promise<Copy> {
  return opened(target, isResync, 'openToRead');
}

async function opened(target: Target, isResync: boolean, open: 'open' | 'openToRead'): Promise<Copy> {
  if (isServer(target)) return new TableCopy(await serverDatabase(target)[open](target), isResync);
  const { kind, path } = target;
  return namingFile(path, 'opened', () =>
    kind === 'sqlite' ? new TableCopy(SqliteDatabase[open](path), isResync) : JsonlCopy[open](path, isResync),
  );
}

/** Reads the state of a copy without creating files. @returns undefined if there is no copy @throws SyncError as `openCopyToRead` */
export async function readStateOf(target: Target, isResync = false): Promise<CopyState | undefined> {
  const copy = await openCopyToRead(target, isResync);
  try {
    return await copy.readState();
  } finally {
    await copy.close();
  }
}
