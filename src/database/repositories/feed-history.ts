import { DatabaseUnusableError } from '../dialects/dialect.js';
import { isServerReadOnly } from '../dialects/error-code.js';
import type { Session } from '../connections/session.js';

/** A restore, an import or a move into the database was interrupted. */
export class IncompleteDatabaseError extends DatabaseUnusableError {}

/** The feed clock's row. */
export interface History {
  /** The last instant, in microseconds. */
  lastUs: number;
  /** 32 hex digits: random, or from `replacingEpoch` after a restore. */
  epoch: string;
  /** Names the restore, import or move that is writing into this database; null if it is complete. */
  copying: string | null;
}

const HISTORY_SQL = `SELECT last_us, epoch, copying, last_us < (SELECT COALESCE(MAX(feed_us), 0) FROM asset) AS behind
  FROM feed_clock WHERE id = 1`;

type HistoryRow = Record<'last_us' | 'behind', unknown> & Pick<History, 'epoch' | 'copying'>;

/** Reads the row, even of an incomplete database. */
export async function readHistory(session: Session): Promise<History> {
  const { last_us: lastUs, epoch, copying } = await readRow(session);
  return { lastUs: Number(lastUs), epoch, copying };
}

/**
 * Reads the row of a database that is to be served.
 * @throws IncompleteDatabaseError, or DatabaseUnusableError if its clock is behind the feed: it would issue instants that readers have passed
 */
export async function readWholeHistory(session: Session): Promise<History> {
  const row = await readRow(session);
  if (row.copying !== null) {
    throw new IncompleteDatabaseError(
      'The database is incomplete: a restore, an import or a move into it was interrupted; run it again',
    );
  }
  if (Number(row.behind) > 0) {
    throw new DatabaseUnusableError(
      'feed_clock.last_us is behind the newest asset: the database was restored in part or edited by hand',
    );
  }
  return { lastUs: Number(row.last_us), epoch: row.epoch, copying: null };
}

async function readRow(session: Session): Promise<HistoryRow> {
  const [row] = await session.query<HistoryRow>(HISTORY_SQL);
  if (row === undefined) throw new DatabaseUnusableError('feed_clock has no row: the database was edited by hand');
  return row;
}

/**
 * Makes all visible commits durable by one small commit. A read-only server refuses it, and has nothing left to make durable
 * (docs/decisions/0011).
 * @throws the driver's error
 */
export async function flushCommits(session: Session): Promise<void> {
  try {
    await session.execute('UPDATE feed_barrier SET n = n + 1 WHERE id = 1');
  } catch (error) {
    if (!isServerReadOnly(error)) throw error;
  }
}
