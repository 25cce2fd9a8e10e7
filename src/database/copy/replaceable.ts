import { Account } from '../entities/account.entity.js';
import { Asset } from '../entities/asset.entity.js';
import type { CopiedDatabase } from './copied-database.js';
import { countRows } from './rows.js';

/** @throws Error if the target has accounts or assets, and `replace` is false */
export async function assertReplaceable(target: CopiedDatabase, replace: boolean): Promise<void> {
  if (replace) return;
  for (const table of target.tables.filter(({ entity }) => entity === Account || entity === Asset)) {
    const rows = await countRows(target.session, table);
    if (rows > 0)
      throw new Error(`${target.name} contains data (${rows} rows in ${table.name}): --replace discards it`);
  }
}
