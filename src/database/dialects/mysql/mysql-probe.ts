import { createConnection, type RowDataPacket } from 'mysql2';
import type { HostAddress } from '../../../platform/config/database-url.js';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { within } from '../../connections/deadline.js';
import type { ProbeResult } from '../../connections/host-monitor.js';
import { isMissingTable, numberOf } from '../error-code.js';
import { connectionOptions, type MysqlLogin } from './mysql-options.js';
import { READ_ONLY, describeFailure } from './mysql-errors.js';

/** The node is not in its cluster's majority. It still answers statements that need no table, so the probe reads one. */
const NOT_IN_QUORUM = 1047;
const PROBE_SQL = 'SELECT @@global.read_only AS read_only FROM feed_clock WHERE id = 1';

/**
 * Probes whether a host is usable: it answers and is in its cluster's majority. An error from the server (too many connections, no schema
 * yet) proves that it is alive, and is returned as `trouble`.
 * @param isOneOfSeveral uses a shorter time-out, and treats a read-only host as unusable, because it may be a replica
 */
export async function probeHost(login: MysqlLogin, host: HostAddress, isOneOfSeveral: boolean): Promise<ProbeResult> {
  const deadlineMs = TIME_BUDGETS_MS[isOneOfSeveral ? 'hostProbeOfSeveral' : 'hostProbe'];
  const connection = createConnection(connectionOptions(login, host, deadlineMs));
  connection.on('error', () => undefined);
  const answer = connection.promise().query<RowDataPacket[]>(PROBE_SQL);
  // A regular end, four times a second: a server may log a warning for each connection that is cut.
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

/** Error numbers from the server are positive, those of the operating system negative. */
function isAlive(error: unknown): boolean {
  const number = numberOf(error) ?? 0;
  return number > 0 && number !== NOT_IN_QUORUM;
}
