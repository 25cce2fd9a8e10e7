import { parseDatabaseUrl } from '../../platform/config/database-url.js';
import { resolveLinks } from '../dialects/sqlite/resolve-links.js';
import { readWholeHistory } from '../repositories/feed-history.js';
import { auditIn } from './audit-command.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables } from './digest.js';
import { continueFrom, readHighWaterMarks, writeHighWaterMarks } from './high-water-marks.js';
import type { Progress } from './progress.js';
import { readRedactions } from '../repositories/redactions.js';
import { reapplyRedactionsSince } from './reapply-redactions.js';
import { replaceFile, type Restored, type RestoreOrder } from './replace-file.js';
import { assertReplaceable } from './replaceable.js';
import { type CopiedTable, isJournal, isNumbers } from './tables.js';

const MARK = 'restore';
const DAY_US = 86_400_000_000;

/**
 * Puts a backup in the place of what is in a database. A service sees the old data or the new; a server that is left half-way is not
 * served, and the restore is begun again.
 * @returns the history that goes on from here, and whether the backup carried a digest, which was right then
 * @throws Error when something has to be seen to first; nothing was changed then
 */
export async function restore(
  databaseUrl: string,
  file: string,
  order: RestoreOrder,
  progress: Progress,
): Promise<Restored & { hasDigest: boolean }> {
  const backup = await CopiedDatabase.openFile(file, 'read');
  try {
    backup.file.assertIntact();
    await backup.assertKnown();
    const hasDigest = backup.file.checkDigest(progress);
    await assertBelievable(backup, order);
    const address = parseDatabaseUrl(databaseUrl);
    const restored =
      address?.kind === 'sqlite'
        ? await replaceFile(backup, resolveLinks(address.path), order, progress)
        : await replaceOnServer(backup, databaseUrl, order, progress);
    return { ...restored, hasDigest };
  } finally {
    await backup.close();
  }
}

/** Instants go on after now: with a wrong clock, for ever. */
async function assertBelievable(backup: CopiedDatabase, { nowUs, longestRestUs }: RestoreOrder): Promise<void> {
  const [row] = await backup.session.query<{ last_us: number }>('SELECT last_us FROM feed_clock WHERE id = 1');
  const restUs = nowUs - Number(row?.last_us ?? 0);
  if (restUs === nowUs || restUs <= longestRestUs) return;
  const days = Math.floor(restUs / DAY_US);
  throw new Error(
    `The clock is ${days} days ahead of ${backup.name}: set it right or, where it is right, say so with CLOCK_MAX_JUMP=${days + 1}d`,
  );
}

async function replaceOnServer(
  backup: CopiedDatabase,
  databaseUrl: string,
  order: RestoreOrder,
  progress: Progress,
): Promise<Restored> {
  await backup.assertCurrent();
  const from = await readHighWaterMarks(backup);
  await readWholeHistory(backup.session);
  const target = await CopiedDatabase.open(databaseUrl, 'write');
  try {
    await target.claim();
    await target.migrate();
    const replaced = await readHighWaterMarks(target);
    if (replaced.history.copying !== MARK) await assertReplaceable(target, order.replace);
    const next = continueFrom(from, { ...order, replaced });
    // The clock, the numbers and the journal stay as they are until the end: a restore that is begun again has to know them.
    await target.markHalf(replaced.history, MARK);
    await fill(target, backup, progress);
    const known = [...(await readRedactions(target.session)), ...order.redactions];
    const erasedAgain = await reapplyRedactionsSince(
      target,
      await readRedactions(backup.session),
      known,
      order.reapplyRedaction,
    );
    await auditIn(target, { ...order.operator, action: 'db.restore', detail: { file: backup.name } });
    await writeHighWaterMarks(target, next, order.nowUs);
    return { ...next.history, erasedAgain, isJournalKnown: replaced.history.lastUs > 0 || order.redactions.length > 0 };
  } finally {
    await target.close();
  }
}

async function fill(target: CopiedDatabase, backup: CopiedDatabase, progress: Progress): Promise<void> {
  const isCopied = (table: CopiedTable): boolean => !isNumbers(table) && !isJournal(table);
  await emptyTables(target, isCopied);
  await copyTables(backup, target, progress, isCopied);
  assertEqual(await compareTables(backup, target, progress, isCopied));
}
