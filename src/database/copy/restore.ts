import { parseDatabaseUrl } from '../../platform/config/database-url.js';
import { resolveLinks } from '../dialects/sqlite/resolve-links.js';
import { readWholeHistory } from '../repositories/feed-history.js';
import { writeAudit } from './audit-command.js';
import { CopiedDatabase } from './copied-database.js';
import { copyTables, emptyTables } from './copy-tables.js';
import { assertEqual, compareTables } from './digest.js';
import { continueFrom, readHighWaterMarks, writeHighWaterMarks } from './high-water-marks.js';
import type { Progress } from './progress.js';
import { readRedactions } from '../repositories/redactions.js';
import { reapplyRedactionsSince } from './reapply-redactions.js';
import { replaceFile, type Restored, type RestoreOptions } from './replace-file.js';
import { assertReplaceable } from './replaceable.js';
import { type CopiedTable, isErasuresTable, isNumbersTable } from './tables.js';

const MARK = 'restore';
const DAY_US = 86_400_000_000;

/**
 * Replaces a database's contents by a backup. A service sees the old data or the new. After an interruption a server's database is not
 * served until the restore is run again.
 * @returns the new history, and whether the backup had a digest, which was verified
 * @throws Error, without changes, if the backup or the database is not ready for it
 */
export async function restore(
  databaseUrl: string,
  file: string,
  options: RestoreOptions,
  progress: Progress,
): Promise<Restored & { hasDigest: boolean }> {
  const backup = await CopiedDatabase.openFile(file, 'read');
  try {
    backup.file.assertIntact();
    await backup.assertKnownVersion();
    const hasDigest = backup.file.checkDigest(progress);
    await assertPlausibleClock(backup, options);
    const address = parseDatabaseUrl(databaseUrl);
    const restored =
      address?.kind === 'sqlite'
        ? await replaceFile(backup, resolveLinks(address.path), options, progress)
        : await replaceOnServer(backup, databaseUrl, options, progress);
    return { ...restored, hasDigest };
  } finally {
    await backup.close();
  }
}

/** Instants continue after the current time, so a wrong clock would spoil them for good. */
async function assertPlausibleClock(backup: CopiedDatabase, { nowUs, maxJumpUs }: RestoreOptions): Promise<void> {
  const [row] = await backup.session.query<{ last_us: number }>('SELECT last_us FROM feed_clock WHERE id = 1');
  const jumpUs = nowUs - Number(row?.last_us ?? 0);
  if (jumpUs === nowUs || jumpUs <= maxJumpUs) return;
  const days = Math.floor(jumpUs / DAY_US);
  throw new Error(
    `The clock is ${days} days ahead of ${backup.name}: correct it or, if it is right, set CLOCK_MAX_JUMP=${days + 1}d`,
  );
}

async function replaceOnServer(
  backup: CopiedDatabase,
  databaseUrl: string,
  options: RestoreOptions,
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
    if (replaced.history.copying !== MARK) await assertReplaceable(target, options.replace);
    const next = continueFrom(from, { ...options, replaced });
    // Clock, numbers and erasures stay until the end, because a restore that starts again needs them.
    await target.markIncomplete(replaced.history, MARK);
    await fill(target, backup, progress);
    const known = [...(await readRedactions(target.session)), ...options.redactions];
    const repeatedErasures = await reapplyRedactionsSince(
      target,
      await readRedactions(backup.session),
      known,
      options.reapplyRedaction,
    );
    await writeAudit(target, { ...options.operator, action: 'db.restore', detail: { file: backup.name } });
    await writeHighWaterMarks(target, next, options.nowUs);
    return {
      ...next.history,
      repeatedErasures,
      areErasuresKnown: replaced.history.lastUs > 0 || options.redactions.length > 0,
    };
  } finally {
    await target.close();
  }
}

async function fill(target: CopiedDatabase, backup: CopiedDatabase, progress: Progress): Promise<void> {
  const isCopied = (table: CopiedTable): boolean => !isNumbersTable(table) && !isErasuresTable(table);
  await emptyTables(target, isCopied);
  await copyTables(backup, target, progress, isCopied);
  assertEqual(await compareTables(backup, target, progress, isCopied));
}
