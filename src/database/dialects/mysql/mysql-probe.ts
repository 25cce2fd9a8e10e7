import { createConnection } from 'mysql2';
import type { HostAddress } from '../../../config/database-url.js';
import { within } from '../../trouble.js';
import type { SignOfLife } from '../../watch.js';
import { isMissingTable, numberOf } from '../error-code.js';
import { connectionOptions, type MysqlLogin } from './mysql-options.js';
import { READ_ONLY, troubleOf } from './mysql-errors.js';

/** Not a member of its cluster's majority: it may answer, but with what is old. */
const OUTSIDE_OF_CLUSTER = 1047;
/** Somebody keeps a table even from readers, as LOCK TABLES does, or an ALTER TABLE that waits: no request would be answered. */
const TABLE_HELD = 1205;
/** It reads tables, because a node outside of its cluster still answers what needs none. All that is asked for most is in these two. */
const SIGN_OF_LIFE =
  'SELECT @@global.read_only AS read_only, EXISTS (SELECT 1 FROM feed_clock WHERE id = 1) AS clock, ' +
  "EXISTS (SELECT 1 FROM asset WHERE id = '') AS asset";

/**
 * Whether a host can be used: it answers, belongs to its cluster, and lets its tables be read. An answer that refuses this question (too many connections, a
 * schema that is not there yet) is a sign of life as well, and of trouble.
 * @param mustTakeWrites a read-only host is not taken: it may be the replica of another
 */
export async function probeHost(
  login: MysqlLogin,
  host: HostAddress,
  deadlineMs: number,
  mustTakeWrites: boolean,
): Promise<SignOfLife> {
  const connection = createConnection(connectionOptions(login, host, deadlineMs));
  connection.on('error', () => undefined);
  // So that the server says before the deadline what holds it up.
  connection.query(`SET SESSION lock_wait_timeout = ${Math.ceil(deadlineMs / 1_000) - 1}`, () => undefined);
  const answer = new Promise<SignOfLife>((resolve) => {
    connection.query<never[]>(SIGN_OF_LIFE, (error, rows: { read_only: number }[]) => {
      if (error) resolve({ usable: isAlive(error), trouble: troubleIn(error) });
      else if (mustTakeWrites && Number(rows[0]?.read_only) !== 0) resolve({ usable: false, trouble: READ_ONLY });
      else resolve({ usable: true });
    });
  });
  // Sent after the answer: a server may log a warning of a connection that just goes, and there are four a second.
  connection.end();
  try {
    return await within(deadlineMs, answer, () => undefined);
  } catch (error) {
    return { usable: false, trouble: troubleOf(error) };
  } finally {
    connection.destroy();
  }
}

/** A table or a schema that is not there yet is none that comes and goes. */
function troubleIn(error: unknown): string | undefined {
  return isMissingTable(error) ? undefined : troubleOf(error);
}

/** A server numbers its errors from 1000 on, the operating system with negative ones. */
function isAlive(error: unknown): boolean {
  const number = numberOf(error) ?? 0;
  return number > 0 && number !== OUTSIDE_OF_CLUSTER && number !== TABLE_HELD;
}
