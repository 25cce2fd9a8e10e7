import { createConnection, type RowDataPacket } from 'mysql2';
import type { HostAddress } from '../../../platform/config/database-url.js';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { within } from '../../connections/deadline.js';
import type { ProbeResult } from '../../connections/host-monitor.js';
import { isMissingTable, numberOf } from '../error-code.js';
import { connectionOptions, type MysqlLogin } from './mysql-options.js';
import { READ_ONLY, describeFailure } from './mysql-errors.js';

/** Not a member of its cluster's majority: such a node answers what needs no table, so the sign of life needs one. */
const OUTSIDE_OF_CLUSTER = 1047;
const SIGN_OF_LIFE = 'SELECT @@global.read_only AS read_only FROM feed_clock WHERE id = 1';

/**
 * Asks whether a host can be used: it answers, and belongs to its cluster. An error that the server gives (too many connections, a schema
 * that is not there yet) is a sign of life as well, and of trouble.
 * @param isOneOfSeveral such a host is given up sooner, and is not usable where it is read-only: it may be the replica of another
 */
export async function probeHost(login: MysqlLogin, host: HostAddress, isOneOfSeveral: boolean): Promise<ProbeResult> {
  const deadlineMs = TIME_BUDGETS_MS[isOneOfSeveral ? 'signOfLifeOfSeveral' : 'signOfLife'];
  const connection = createConnection(connectionOptions(login, host, deadlineMs));
  connection.on('error', () => undefined);
  const answer = connection.promise().query<RowDataPacket[]>(SIGN_OF_LIFE);
  // Sent after the answer, because a server may log a warning for a connection that just goes, and there are four a second.
  connection.end();
  try {
    const [[row]] = await within(deadlineMs, answer, () => undefined);
    const isReplica = isOneOfSeveral && Number(row?.['read_only'] ?? 0) !== 0;
    return { usable: !isReplica, trouble: isReplica ? READ_ONLY : undefined };
  } catch (error) {
    return { usable: isAlive(error), trouble: isMissingTable(error) ? undefined : describeFailure(error) };
  } finally {
    connection.destroy();
  }
}

/** A server numbers its errors from 1000 on, the operating system with negative numbers. */
function isAlive(error: unknown): boolean {
  const number = numberOf(error) ?? 0;
  return number > 0 && number !== OUTSIDE_OF_CLUSTER;
}
