import { AuditEntry, type AuditAction } from '../entities/audit-entry.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { CopiedDatabase } from './copied-database.js';

const AUDIT = EntityTable.of(AuditEntry);
/** The audit's subject for a command on the whole database. */
const SUBJECT = 'database';

/** The user who runs a command, and when it began, in microseconds since 1970 UTC. */
export type Operator = Pick<AuditEntry, 'us' | 'actor'>;

interface AuditedCommand extends Operator {
  action: AuditAction;
  detail: Record<string, string>;
}

/** Writes an audit row. @throws the driver's error */
export async function writeAudit(
  { session }: CopiedDatabase,
  { us, actor, action, detail }: AuditedCommand,
): Promise<void> {
  const row = { us, subject: SUBJECT, actor, action, requestId: null, detail: JSON.stringify(detail) };
  await session.insertRows(AUDIT, AUDIT.toRows([row]));
}

/**
 * Writes an audit row into the database that a command has read.
 * @returns why that failed, for example because its user may only read; undefined if it succeeded
 */
export async function writeAuditToSource(databaseUrl: string, audited: AuditedCommand): Promise<string | undefined> {
  try {
    const database = await CopiedDatabase.open(databaseUrl, 'write');
    try {
      await writeAudit(database, audited);
    } finally {
      await database.close();
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
