import { AuditEntry, type AuditAction } from '../entities/audit-entry.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { CopiedDatabase } from './copied-database.js';

const AUDIT = EntityTable.of(AuditEntry);
/** No asset, key or account is meant. */
const SUBJECT = 'database';

/** Who runs a command on whole databases, and since when: microseconds since 1970 UTC. */
export type Operator = Pick<AuditEntry, 'us' | 'actor'>;

interface Audited extends Operator {
  action: AuditAction;
  detail: Record<string, string>;
}

/** Writes one row into the audit of a database. @throws the driver's error */
export async function auditIn({ session }: CopiedDatabase, { us, actor, action, detail }: Audited): Promise<void> {
  const row = { us, subject: SUBJECT, actor, action, requestId: null, detail: JSON.stringify(detail) };
  await session.insertRows(AUDIT, AUDIT.toRows([row]));
}

/**
 * Writes one row into the audit of a database that a command has read.
 * @returns why it could not be written, as its user may only read; undefined where it was
 */
export async function auditInSource(databaseUrl: string, audited: Audited): Promise<string | undefined> {
  try {
    const database = await CopiedDatabase.open(databaseUrl, 'write');
    try {
      await auditIn(database, audited);
    } finally {
      await database.close();
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
