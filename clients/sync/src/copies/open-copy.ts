import type { Copy } from './copy.js';
import { JsonlCopy } from './jsonl-copy.js';
import { MysqlCopy } from './mysql-copy.js';
import { SqliteCopy } from './sqlite-copy.js';
import type { Target } from './target.js';

/**
 * Opens a copy to write to it; it need not be there yet.
 * @param beside a new one, beside the one that is there
 * @throws SyncError while another runner writes to it
 */
export async function openCopy(target: Target, beside: boolean): Promise<Copy> {
  if (target.kind === 'mysql') return MysqlCopy.open(target, beside);
  return target.kind === 'sqlite' ? SqliteCopy.open(target.path, beside) : JsonlCopy.open(target.path, beside);
}

/**
 * Opens a copy to look at it, also while a runner writes.
 * @param beside the one that is made beside it
 * @throws SyncError where there is none
 */
export async function openCopyToRead(target: Target, beside = false): Promise<Copy> {
  if (target.kind === 'mysql') return MysqlCopy.openToRead(target, beside);
  return target.kind === 'sqlite'
    ? SqliteCopy.openToRead(target.path, beside)
    : JsonlCopy.openToRead(target.path, beside);
}
