import type { Connection, RowDataPacket } from 'mysql2/promise';

/** A connection to a server. */
interface Connected {
  id: number;
  user: string;
  database: string | null;
  /** The statement that it executes, if any. */
  statement: string | null;
}

/**
 * All connections to a server, including the asker's. `information_schema.processlist` and `innodb_trx` are avoided, because MySQL cannot read them
 * while any statement contains a character beyond U+FFFF (ER_CANNOT_CONVERT_STRING).
 */
export async function processList(asker: Connection): Promise<Connected[]> {
  const [rows] = await asker.query<RowDataPacket[]>('SHOW FULL PROCESSLIST');
  return rows.map(({ Id, User, db, Info }) => ({ id: Number(Id), user: User, database: db, statement: Info }));
}

/** The other connections to the asker's database. */
export async function othersOf(asker: Connection): Promise<Connected[]> {
  const { database } = asker.config;
  return (await processList(asker)).filter((one) => one.database === database && one.id !== asker.threadId);
}

/** Whether a connection waits for the feed's clock. @param other the connection that has locked it */
export async function waitsForClock(other: Connection): Promise<boolean> {
  return (await othersOf(other)).some(({ statement }) => statement?.startsWith('UPDATE feed_clock'));
}
