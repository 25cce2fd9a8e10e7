import type { AuditEntry } from './entities/audit-entry.entity.js';

/** Columns of the table, in the order in which rows are written. */
export const AUDIT_COLUMNS = ['us', 'subject', 'actor', 'action', 'request_id', 'detail'] as const;

/** The values of a row in the order of AUDIT_COLUMNS. */
export function toAuditRow({ us, subject, actor, action, requestId, detail }: AuditEntry): unknown[] {
  return [us, subject, actor, action, requestId, detail];
}
