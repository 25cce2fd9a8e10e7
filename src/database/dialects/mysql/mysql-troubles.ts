import { DeadlineError } from '../../deadline.js';
import { codeOf, numberOf } from '../error-code.js';
import { DatabaseUnusableError } from '../dialect.js';

export const READ_ONLY = 'it is read-only';
/** Also what MariaDB says to a user who may not come without TLS. */
const LOGIN_REFUSED = 'it refuses the user or the password of DATABASE_URL, or asks for TLS';
const DATABASE_REFUSED = 'it has no database of the name in DATABASE_URL, or keeps its user out of it';
const USER_LOCKED = 'the user of DATABASE_URL is locked';
const PASSWORD_EXPIRED = 'the password in DATABASE_URL has expired';
const LIMIT_REACHED = 'the user of DATABASE_URL has reached a limit of its own';
const HELD_UP = 'somebody holds its tables or rows, as a backup may';
const OUTSIDE_OF_CLUSTER = "it is outside of its cluster's majority";
const SILENT = 'it does not answer in time';
const UNREACHABLE = 'its host cannot be reached';
const HOST_UNKNOWN = 'the name of its host is not known';
const BROKEN = 'the connection breaks';

/** By the server's number, or by the code of the driver or the system. */
const TROUBLES = new Map<number | string, string>([
  [1040, 'it has no connection left: see max_connections'],
  [1044, DATABASE_REFUSED],
  [1049, DATABASE_REFUSED],
  [1045, LOGIN_REFUSED],
  [1251, LOGIN_REFUSED],
  [1698, LOGIN_REFUSED],
  [1203, LIMIT_REACHED],
  [1226, LIMIT_REACHED],
  [1820, PASSWORD_EXPIRED],
  [1862, PASSWORD_EXPIRED],
  [3118, USER_LOCKED],
  [4151, USER_LOCKED],
  [3032, 'it is in offline mode'],
  [3159, 'it asks for TLS: see require_secure_transport'],
  [1047, OUTSIDE_OF_CLUSTER],
  [1180, OUTSIDE_OF_CLUSTER],
  [1053, 'it is shutting down'],
  [1290, READ_ONLY],
  [1792, READ_ONLY],
  [1836, READ_ONLY],
  [1021, 'its disk is full'],
  [1114, 'a table or its disk is full'],
  [1026, 'it cannot write its files'],
  [1205, HELD_UP],
  [1213, HELD_UP],
  [1969, HELD_UP],
  [3024, HELD_UP],
  ['ECONNREFUSED', 'nothing listens at its address'],
  ['ENOTFOUND', HOST_UNKNOWN],
  ['EAI_AGAIN', HOST_UNKNOWN],
  // The driver's own, too, where a frozen server takes the connection and says nothing.
  ['ETIMEDOUT', SILENT],
  ['PROTOCOL_SEQUENCE_TIMEOUT', SILENT],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['ECONNRESET', BROKEN],
  ['EPIPE', BROKEN],
  ['PROTOCOL_CONNECTION_LOST', BROKEN],
  ['HANDSHAKE_NO_SSL_SUPPORT', 'it offers no TLS, which DATABASE_URL asks for'],
  ['HANDSHAKE_SSL_ERROR', 'its certificate is refused'],
]);

/** What an operator is told of an error, who may be anybody: no statement, no value, no name of a host or a user. */
export function mysqlTroubleOf(error: unknown): string {
  if (error instanceof DeadlineError) return SILENT;
  if (error instanceof DatabaseUnusableError) return error.message;
  const [number, code] = [numberOf(error) ?? 0, codeOf(error) ?? ''];
  return TROUBLES.get(number) ?? TROUBLES.get(code) ?? `its answer is ${code || 'none that is known'}`;
}
