import type { Dialect } from '../dialects/dialect.js';
import type { Redaction } from '../entities/redaction.entity.js';
import { recordRedaction } from '../repositories/redactions.js';
import type { Session } from '../connections/session.js';
import type { CopiedDatabase } from './copied-database.js';

/** Repeats an erasure in the open transaction, and records it. */
export type ReapplyRedaction = (session: Session, dialect: Dialect, redaction: Redaction) => Promise<void>;

/**
 * Repeats in a restored database the erasures since its backup, before a service uses it.
 * @param ofBackup erasures that the backup contains
 * @param known all known erasures
 * @returns the number of repeated erasures
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
  file?.enableSecureDelete();
  await database.inTransaction(async () => {
    // On a server these are still the replaced database's erasures.
    await session.execute('DELETE FROM redaction');
    for (const redaction of ofBackup) await recordRedaction(session, redaction);
    for (const redaction of inOrder) await reapplyRedaction(session, dialect, redaction);
  });
  if (inOrder.length > 0) file?.compact();
  return inOrder.length;
}
