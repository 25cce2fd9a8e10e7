import type { Connection } from 'mysql2/promise';

const WAITING = "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'UPDATE feed_clock%'";
/** MySQL prints all statements that are under way, of all databases, in an older character set, which has no emoji. */
const CANNOT_CONVERT = 3854;

/** Whether somebody waits for the feed's clock. @param other a connection that holds it */
export async function waitsForClock(other: Connection): Promise<boolean> {
  try {
    const [waiting] = await other.query(WAITING);
    return (waiting as unknown[]).length > 0;
  } catch (error) {
    if ((error as { errno?: number }).errno === CANNOT_CONVERT) return false;
    throw error;
  }
}
