import type { Connection, RowDataPacket } from 'mysql2/promise';
import { lockedError } from './file-lock.js';

/** The server needs a moment to see that a runner has died. */
const LOCK_SECONDS = 2;
/** By the name that the server has for the database: it may take several, which differ in their case. */
const TAKE = `SELECT GET_LOCK(CONCAT('registry-sync ', LEFT(SHA2(DATABASE(), 256), 32)), ?) AS taken`;

/** For as long as the connection lasts. @param shown the copy, for people @throws SyncError while another runner has it */
export async function lock(connection: Connection, shown: string): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(TAKE, [LOCK_SECONDS]);
  if ((rows as { taken: number | null }[])[0]?.taken !== 1) throw lockedError(shown);
}
