import { DatabaseUnusableError } from '../dialects/dialect.js';
import { isServerReadOnly } from '../dialects/error-code.js';
import type { Session } from '../connections/session.js';

/** The row of the feed's clock: which history a database holds, and how far it goes. */
export interface History {
  /** The last instant that was given out, in microseconds. */
  lastUs: number;
  /** 32 hex digits: random, or made by a restore (`replacingEpoch`). */
  epoch: string;
  /** What is being copied into this database; null while it is whole. */
  copying: string | null;
}

const HISTORY_SQL = `SELECT last_us, epoch, copying, last_us < (SELECT COALESCE(MAX(feed_us), 0) FROM asset) AS behind
  FROM feed_clock WHERE id = 1`;

type HistoryRow = Record<'last_us' | 'behind', unknown> & Pick<History, 'epoch' | 'copying'>;

/** Reads which history the database holds, whether it is whole or a copy that is not finished. */
export async function readHistory(session: Session): Promise<History> {
  const { last_us: lastUs, epoch, copying } = await readRow(session);
  return { lastUs: Number(lastUs), epoch, copying };
}

/**
 * A clock behind the feed would hand out instants that readers have passed, and half a copy would tell half of the history.
 * @throws DatabaseUnusableError when it must not be served
 */
export async function readWholeHistory(session: Session): Promise<History> {
  const row = await readRow(session);
  if (row.copying !== null) {
    throw new DatabaseUnusableError(
      'The database is not whole: a restore, an import or a move into it has not come to its end; run it again',
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
 * Makes everything durable that was visible before, by one small commit. A server that refuses it because it is read-only has nothing left to
 * make durable (docs/decisions/0011).
 * @throws the driver's error
 */
export async function flushCommits(session: Session): Promise<void> {
  try {
    await session.execute('UPDATE feed_barrier SET n = n + 1 WHERE id = 1');
  } catch (error) {
    if (!isServerReadOnly(error)) throw error;
  }
}
