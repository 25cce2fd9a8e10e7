import type { Copy, CopyState } from './copy.js';
import { JsonlCopy } from './jsonl-copy.js';
import { namingFile } from './naming-file.js';
import { serverDatabase } from './server-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { TableCopy } from './table-copy.js';
import { isServer, type Target } from './target.js';

/**
 * Opens a copy for writing; it need not exist yet.
 * @param beside a new one, beside the existing one
 * @throws SyncError while another runner writes to it
 */
export function openCopy(target: Target, beside: boolean): Promise<Copy> {
  return opened(target, beside, 'open');
}

/**
 * Opens a copy for reading, also while a runner writes.
 * @param beside the new one beside it
 * @throws SyncError if it does not exist
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

/** Reads the state of a copy without creating files. @returns undefined if there is none @throws SyncError as `openCopyToRead` */
export async function readStateOf(target: Target, beside = false): Promise<CopyState | undefined> {
  const copy = await openCopyToRead(target, beside);
  try {
    return await copy.readState();
  } finally {
    await copy.close();
  }
}
