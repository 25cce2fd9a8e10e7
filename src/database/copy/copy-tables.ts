import type { CopiedDatabase } from './copied-database.js';
import type { Progress } from './progress.js';
import { countRows, lastKey, rowsInOrder } from './rows.js';
import type { CopiedTable } from './tables.js';

/**
 * Copies tables in the order of their keys, with a transaction for each batch, so that an interrupted copy continues after the last committed
 * row.
 */
export async function copyTables(
  from: CopiedDatabase,
  to: CopiedDatabase,
  progress: Progress,
  isCopied: (table: CopiedTable) => boolean = () => true,
): Promise<void> {
  for (const table of from.tables.filter(isCopied)) await copyTable(from, to, table, progress);
}

async function copyTable(
  from: CopiedDatabase,
  to: CopiedDatabase,
  source: CopiedTable,
  progress: Progress,
): Promise<void> {
  const target = to.tableLike(source);
  let done = await countRows(to.session, target);
  progress.begin(`copy ${source.name}`, await countRows(from.session, source));
  progress.reach(done);
  for await (const rows of rowsInOrder(from.session, source, await lastKey(to.session, target))) {
    await to.inTransaction(() => to.session.insertRows({ table: target.name, columns: target.columns }, rows));
    done += rows.length;
    progress.reach(done);
  }
  progress.end();
}

/** Empties tables, those with foreign keys first. */
export async function emptyTables(
  { tables, session, dialect }: CopiedDatabase,
  isEmptied: (table: CopiedTable) => boolean = () => true,
): Promise<void> {
  for (const table of tables.toReversed().filter(isEmptied)) {
    for (const sql of dialect.sql.truncate(table.name)) await session.execute(sql);
  }
}
