import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../session.js';

/** Connections of a process that has just ended are seen for a moment: longer where the server, which takes time for each look, is busy. */
const LOOKS = 15;
const PAUSE_MS = 100;

/**
 * Waits until nobody else is connected to a server's database. A user without the PROCESS right sees its own connections only.
 * @returns how many others are left after a while
 * @throws Error where the server lists nobody
 */
export async function waitUntilAlone(session: Session): Promise<number> {
  for (let looksLeft = LOOKS; ; looksLeft--) {
    const others = await countOthers(session);
    if (others === 0 || looksLeft === 0) return others;
    await sleep(PAUSE_MS);
  }
}

/**
 * The table `information_schema.processlist` would not do: MySQL cannot read it while a statement is running, of whatever database,
 * whose text has characters beyond U+FFFF.
 */
async function countOthers(session: Session): Promise<number> {
  const [own] = await session.query<{ id: unknown; db: string }>('SELECT CONNECTION_ID() AS id, DATABASE() AS db');
  const listed = await session.query<{ Id: unknown; db: string | null }>('SHOW PROCESSLIST');
  const others = listed.filter(({ Id }) => Number(Id) !== Number(own?.id));
  // MySQL does so with performance_schema_show_processlist, and without its performance schema.
  if (others.length === listed.length) {
    throw new Error(
      'The database server does not tell who is connected to it (SHOW PROCESSLIST): SET GLOBAL performance_schema_show_processlist = OFF',
    );
  }
  return others.filter(({ db }) => db === own?.db).length;
}
