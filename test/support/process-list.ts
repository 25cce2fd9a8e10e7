import type { Connection, RowDataPacket } from 'mysql2/promise';

/** A connection to a server. */
interface Connected {
  id: number;
  user: string;
  database: string | null;
  /** What it runs, if anything. */
  statement: string | null;
}

/**
 * Who is connected to a server, the asker too. This is not asked of `information_schema.processlist` or `innodb_trx`, which MySQL
 * cannot read while anybody's statement has a character beyond U+FFFF (ER_CANNOT_CONVERT_STRING).
 */
export async function processList(asker: Connection): Promise<Connected[]> {
  const [rows] = await asker.query<RowDataPacket[]>('SHOW FULL PROCESSLIST');
  return rows.map(({ Id, User, db, Info }) => ({ id: Number(Id), user: User, database: db, statement: Info }));
}

/** Of those who use the asker's database too, and are not the asker. */
export async function othersOf(asker: Connection): Promise<Connected[]> {
  const { database } = asker.config;
  return (await processList(asker)).filter((one) => one.database === database && one.id !== asker.threadId);
}

/** Whether somebody waits for the feed's clock. @param other a connection that holds it */
export async function waitsForClock(other: Connection): Promise<boolean> {
  return (await othersOf(other)).some(({ statement }) => statement?.startsWith('UPDATE feed_clock'));
}
