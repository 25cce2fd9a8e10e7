import type { Dialect } from '../dialects/dialect.js';
import { LogEntry } from '../entities/log-entry.entity.js';
import type { LogHead } from '../entities/log-head.entity.js';
import { LogNode } from '../entities/log-node.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import type { Session } from '../connections/session.js';

const ENTRIES = EntityTable.of(LogEntry);
const NODES = EntityTable.of(LogNode);

/** What an append adds, and what it builds on. */
export interface LogAppend {
  /** The size before. */
  size: number;
  entries: readonly LogEntry[];
  nodes: readonly LogNode[];
  /** All states up to this instant are in the log then; in microseconds. */
  untilUs: number;
  /** When the states were read, in the feed's time: what was erased since is still in them. */
  readUs: number;
}

/**
 * In a transaction of the caller's, for which writes wait: two ways to the database.
 * @returns false where another process was first, or something was erased meanwhile: then nothing was written
 */
export async function appendToLog(session: Session, dialect: Dialect, append: LogAppend): Promise<boolean> {
  const { size, entries, nodes, untilUs, readUs } = append;
  // An erasure holds the same lock.
  const [head, isErased] = await session.together(() => [lockedHead(session, dialect), isErasedSince(session, readUs)]);
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
 * @param size of the log that is signed
 * @param toKeep what is kept in the place of what is kept now, which another process may have signed meanwhile
 * @returns false where the log has grown meanwhile, or another has it
 */
export async function keepCheckpoint(
  session: Session,
  dialect: Dialect,
  size: number,
  toKeep: (kept: string | null) => string,
): Promise<boolean> {
  const head = await lockedHead(session, dialect);
  if (head?.size !== size) return false;
  await session.execute('UPDATE log_head SET checkpoint = ? WHERE id = 1', [toKeep(head.checkpoint)]);
  return true;
}

async function isErasedSince(session: Session, us: number): Promise<boolean> {
  return (await session.query('SELECT us FROM redaction WHERE us > ? LIMIT 1', [BigInt(us)])).length > 0;
}

/** Undefined where another holds it, for as long as an erasure may take: all writes would wait in the lane meanwhile. */
async function lockedHead(
  session: Session,
  { sql: { forUpdateSkipLocked } }: Dialect,
): Promise<Pick<LogHead, 'size' | 'checkpoint'> | undefined> {
  const sql = `SELECT size, checkpoint FROM log_head WHERE id = 1 ${forUpdateSkipLocked}`;
  const [row] = await session.query<{ size: unknown; checkpoint: string | null }>(sql);
  return row && { ...row, size: Number(row.size) };
}
