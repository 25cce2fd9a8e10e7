import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf } from '../dialects/error-code.js';
import type { Session } from '../session.js';

/** Connections of a process that has just ended are seen for a moment. */
const LEAVING_MS = 1_500;
const PAUSE_MS = 100;
/** MySQL's ER_CANNOT_CONVERT_STRING. */
const CANNOT_CONVERT_STRING = 3854;
const LIST_ATTEMPTS = 50;

/**
 * Waits until nobody else is connected to a server's database. A user without the PROCESS right sees its own connections only.
 * @returns how many others are left after a while
 */
export async function waitUntilAlone(session: Session): Promise<number> {
  const until = Date.now() + LEAVING_MS;
  for (;;) {
    const others = await countOthers(session);
    if (others === 0 || Date.now() > until) return others;
    await sleep(PAUSE_MS);
  }
}

async function countOthers(session: Session): Promise<number> {
  const sql =
    'SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';
  for (let attempt = 1; ; attempt++) {
    try {
      const [row] = await session.query<{ n: unknown }>(sql);
      return Number(row?.n);
    } catch (error) {
      // MySQL cannot list a statement that is running, of whatever database, where its text has characters beyond U+FFFF.
      if (numberOf(error) !== CANNOT_CONVERT_STRING || attempt === LIST_ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
