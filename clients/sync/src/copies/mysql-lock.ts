import { hash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { lockedError } from './file-lock.js';

/** The server needs a moment to see that a runner has died. */
const LOCK_SECONDS = 2;

/** For as long as the connection lasts. @param shown the copy, for people @throws SyncError while another runner has it */
export async function lock(connection: Connection, shown: string): Promise<void> {
  const name = `registry-sync ${hash('sha256', connection.config.database ?? '', 'hex').slice(0, 32)}`;
  const [rows] = await connection.query<RowDataPacket[]>('SELECT GET_LOCK(?, ?) AS taken', [name, LOCK_SECONDS]);
  if ((rows as { taken: number | null }[])[0]?.taken !== 1) throw lockedError(shown);
}
