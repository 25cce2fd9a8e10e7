import { Account } from '../entities/account.entity.js';
import { Asset } from '../entities/asset.entity.js';
import type { CopiedDatabase } from './copied-database.js';
import { countRows } from './rows.js';

/** @throws Error when there is something to lose, and nobody said that it may be */
export async function assertReplaceable(target: CopiedDatabase, replace: boolean): Promise<void> {
  if (replace) return;
  for (const table of target.tables.filter(({ entity }) => entity === Account || entity === Asset)) {
    const rows = await countRows(target.session, table);
    if (rows > 0)
      throw new Error(`${target.name} holds data (${rows} rows in ${table.name}): --replace throws it away`);
  }
}
