import type { Dialect } from '../dialects/dialect.js';
import type { Redaction } from '../entities/redaction.entity.js';
import { recordRedaction } from '../repositories/redactions.js';
import type { Session } from '../connections/session.js';
import type { CopiedDatabase } from './copied-database.js';

/** Erases what was erased before, in the transaction that is open, and notes it. */
export type ReapplyRedaction = (session: Session, dialect: Dialect, redaction: Redaction) => Promise<void>;

/**
 * Erases in a database that is restored, before anybody is served from it, what was erased since its backup was made.
 * @param ofBackup what the backup was erased of
 * @param known what was erased, as far as anybody knows
 * @returns how many erasures were done again
 */
export async function reapplyRedactionsSince(
  database: CopiedDatabase,
  ofBackup: readonly Redaction[],
  known: readonly Redaction[],
  reapplyRedaction: ReapplyRedaction,
): Promise<number> {
  const done = new Set(ofBackup.map(({ us }) => us));
  const missing = new Map(known.filter(({ us }) => !done.has(us)).map((one) => [one.us, one]));
  const inOrder = [...missing.values()].toSorted((one, other) => one.us - other.us);
  const { session, dialect, file } = database;
  file?.overwriteDeleted();
  await database.inTransaction(async () => {
    // A server still has the journal of what was there before.
    await session.execute('DELETE FROM redaction');
    for (const redaction of ofBackup) await recordRedaction(session, redaction);
    for (const redaction of inOrder) await reapplyRedaction(session, dialect, redaction);
  });
  if (inOrder.length > 0) file?.compact();
  return inOrder.length;
}
