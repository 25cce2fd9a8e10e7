import type { Dialect } from '../dialects/dialect.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import type { LogHead } from '../entities/log-head.entity.js';
import { LogNode } from '../entities/log-node.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import type { Session } from '../connections/session.js';

const ENTRIES = EntityTable.of(LogEntry);
const NODES = EntityTable.of(LogNode);

export interface LogAppend {
  /** The log's size before the append. */
  size: number;
  entries: readonly LogEntry[];
  nodes: readonly LogNode[];
  /** After the append, all states up to this instant are in the log; in microseconds. */
  untilUs: number;
  /** When the states were read, as an instant of the feed: fields that were erased later are still in them. */
  readUs: number;
}

/**
 * Appends in the caller's transaction. Two round trips, because writes wait for it.
 * @returns false, without writing, if another process has appended or a field was erased meanwhile
 */
export async function appendToLog(session: Session, dialect: Dialect, append: LogAppend): Promise<boolean> {
  const { size, entries, nodes, untilUs, readUs } = append;
  // An erasure takes the same lock.
  const [head, isErased] = await session.together(() => [lockHead(session, dialect), isErasedSince(session, readUs)]);
  if (head?.size !== size || isErased) return false;
  const values = [size + entries.length, untilUs].map(BigInt);
  await session.together(() => [
    session.insertRows(ENTRIES, ENTRIES.toRows(entries)),
    session.insertRows(NODES, NODES.toRows(nodes)),
    session.execute('UPDATE log_head SET size = ?, until_us = ? WHERE id = 1', values),
  ]);
  return true;
}

/**
 * Stores a signed checkpoint.
 * @param size of the log that was signed
 * @param merge returns the checkpoint to store, given the stored one, which another process may have signed meanwhile
 * @returns false if the log has grown meanwhile, or is locked
 */
export async function saveCheckpoint(
  session: Session,
  dialect: Dialect,
  size: number,
  merge: (stored: string | null) => string,
): Promise<boolean> {
  const head = await lockHead(session, dialect);
  if (head?.size !== size) return false;
  await session.execute('UPDATE log_head SET checkpoint = ? WHERE id = 1', [merge(head.checkpoint)]);
  return true;
}

async function isErasedSince(session: Session, us: number): Promise<boolean> {
  return (await session.query('SELECT us FROM redaction WHERE us > ? LIMIT 1', [BigInt(us)])).length > 0;
}

/** Undefined if another transaction has locked it, because an erasure may take long and all writes would wait for this in the lane. */
async function lockHead(
  session: Session,
  { sql: { forUpdateSkipLocked } }: Dialect,
): Promise<Pick<LogHead, 'size' | 'checkpoint'> | undefined> {
  const sql = `SELECT size, checkpoint FROM log_head WHERE id = 1 ${forUpdateSkipLocked}`;
  const [row] = await session.query<{ size: unknown; checkpoint: string | null }>(sql);
  return row && { ...row, size: Number(row.size) };
}
