import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';

interface ServerAnswer {
  name: 'MariaDB' | 'MySQL';
  version: string;
}

/** Errors that do not go away by waiting. */
const FINAL_ERRORS = new Set(['ER_ACCESS_DENIED_ERROR', 'ENOTFOUND']);
const POLL_MS = 50;
const CONNECT_MS = 2_000;

/** Retries until the server answers; throws the last error at the deadline, or if the signal reports that the server has exited. */
export async function waitUntilServerAnswers(url: string, ms: number, dead?: AbortSignal): Promise<ServerAnswer> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      return await askServer(url);
    } catch (error) {
      const isFinal = FINAL_ERRORS.has((error as NodeJS.ErrnoException).code ?? '');
      if (isFinal || performance.now() > deadline || dead?.aborted) throw error;
      await delay(POLL_MS);
    }
  }
}

async function askServer(url: string): Promise<ServerAnswer> {
  const connection = await createConnection({ uri: url, connectTimeout: CONNECT_MS });
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const version = String(rows[0]?.version);
    return { name: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL', version };
  } finally {
    connection.destroy();
  }
}
