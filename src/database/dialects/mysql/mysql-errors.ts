import { DeadlineError } from '../../connections/deadline.js';
import { codeOf, isConnectFailure, isDenied, isLoginRefused, isTlsFault, messageOf, numberOf } from '../error-code.js';
import { DatabaseUnusableError, type Failure } from '../dialect.js';

/*
 * Errors of MySQL, MariaDB and their driver: how to react to each, and its description for operators.
 */

/** Code of the error that MysqlConnection makes of a packet with an unexpected sequence number. */
export const PACKETS_OUT_OF_ORDER = 'PROTOCOL_PACKETS_OUT_OF_ORDER';
export const READ_ONLY = 'it is read-only';
const SILENT = 'it does not answer in time';
const LOCKED = 'its tables or rows are locked, as by a backup or by a commit that waits for disk space';

/** Errors by the server's numbers, or the codes of the driver or the system. */
const ERRORS: readonly [failure: Failure, meaning: string | undefined, ...errors: (number | string)[]][] = [
  // Deadlock or failed certification in a cluster; lock wait time-out. The transaction was certainly rolled back.
  ['retry', LOCKED, 1213, 1205],
  // The same for an outdated snapshot and for group replication; a prepared statement that the server has dropped, so that it did not run.
  ['retry', undefined, 1020, 3101, 1243, 1615],
  ['lost', 'it is shutting down', 1053],
  // Connection killed, statement interrupted, idle transaction or client cut off.
  ['lost', undefined, 1927, 1317, 4031, 'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR'],
  ['lost', 'the connection breaks', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', PACKETS_OUT_OF_ORDER],
  ['lost', SILENT, 'PROTOCOL_SEQUENCE_TIMEOUT'],
  // Also the driver's, if a frozen server accepts the connection and stays silent.
  ['away', SILENT, 'ETIMEDOUT'],
  ['away', 'nothing listens at its address', 'ECONNREFUSED'],
  ['away', 'its host cannot be reached', 'EHOSTUNREACH', 'ENETUNREACH'],
  ['away', 'the name of its host is not known', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
  ['away', 'this service can open no more files: see its LimitNOFILE', 'EMFILE'],
  ['away', 'it offers no TLS, which DATABASE_URL asks for', 'HANDSHAKE_NO_SSL_SUPPORT'],
  ['away', 'its certificate is refused', 'HANDSHAKE_SSL_ERROR'],
  ['away', 'it has no connection left: see max_connections', 1040, 1135],
  // Also at COMMIT.
  ['away', "it is outside of its cluster's majority", 1047, 1180],
  ['away', 'it has no database of the name in DATABASE_URL, or its user may not use it', 1044, 1049],
  // Also MariaDB's answer to a user who must use TLS.
  ['away', 'it refuses the user or the password of DATABASE_URL, or asks for TLS', 1045, 1130, 1251, 1275, 1524, 1698],
  ['away', 'it asks for TLS: see require_secure_transport', 3159],
  ['away', 'the user of DATABASE_URL has reached one of its limits', 1203, 1226],
  ['away', 'the password in DATABASE_URL has expired', 1820, 1862],
  ['away', 'the user of DATABASE_URL is locked', 3118, 4151],
  ['away', 'the user of DATABASE_URL is locked after wrong passwords', 3955, 4150],
  ['away', 'it has blocked the address of this service after failed connections: see max_connect_errors', 1129],
  ['away', 'it is in offline mode', 3032],
  // The server, its storage, the database or the table is read-only.
  ['refused', READ_ONLY, 1290, 1792, 1836, 1036, 1874, 1881, 3989],
  ['refused', 'its disk is full', 20, 1021],
  ['refused', 'a table or its disk is full', 1114],
  // Numbers below 1000 are errors of files: a large transaction is spooled to a file until its commit.
  ['refused', 'it cannot write its files: see whether its disk is full', 1, 3, 1004, 1026, 1030, 1878],
  // Statement time-out, as when a backup has locked all tables.
  ['refused', LOCKED, 1969, 3024],
];
const ERRORS_BY_CODE = new Map(
  ERRORS.flatMap(([failure, meaning, ...errors]) => errors.map((error) => [error, { failure, meaning }])),
);

function lookUp(error: unknown): { failure: Failure; meaning: string | undefined } | undefined {
  return ERRORS_BY_CODE.get(numberOf(error) ?? 0) ?? ERRORS_BY_CODE.get(codeOf(error) ?? '');
}

export function classifyFailure(error: unknown): Failure {
  if (error instanceof DeadlineError) return 'lost';
  // The server's settings were changed while it is in use: no statements are sent until they are corrected.
  if (error instanceof DatabaseUnusableError) return 'away';
  if (isDenied(error)) return 'refused';
  const failure = lookUp(error)?.failure;
  if (failure !== undefined) return failure;
  // Resolvers, firewalls and the operating system have many more codes.
  if (isConnectFailure(error)) return 'away';
  return /Queue limit reached|Pool is closed|closed state/.test(String((error as Error).message)) ? 'away' : 'defect';
}

/** A description that is safe to publish: without statements, values, or names of hosts and users. */
export function describeFailure(error: unknown): string {
  if (error instanceof DeadlineError) return SILENT;
  if (error instanceof DatabaseUnusableError) return error.message;
  if (isDenied(error))
    return `its user lacks a right${deniedRight(messageOf(error))}: see "Users of the database" in the documentation`;
  return lookUp(error)?.meaning ?? `its answer is ${codeOf(error) ?? 'an unknown error'}`;
}

/** ` (SELECT on asset)` from the server's message; empty for another kind of message, or another language. */
function deniedRight(denial: string): string {
  const [, right, table] = /^([A-Z, ]+) command denied to user .* table [`'](?:\w+`\.`)?(\w+)[`']/.exec(denial) ?? [];
  return right === undefined ? '' : ` (${right} on ${table})`;
}

const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;
const WRITE_TLS = 'append ?tls=verify to the URL, with &ca=FILE for your own certificate authority, or ?tls=require';

/**
 * Why a server refuses the login or the connection for good.
 * @param isUnencrypted whether the connection was unencrypted
 * @returns a clause to follow the database's name; undefined for other errors
 */
export function describeRefusal(error: unknown, isUnencrypted: boolean): string | undefined {
  if (numberOf(error) === TLS_REQUIRED) return `the server takes encrypted connections only: ${WRITE_TLS}`;
  if (isLoginRefused(error)) {
    const refused = 'the server refuses the user, password or database name of the URL';
    // Servers answer the same to a wrong password, to a user who must use TLS, and to a password that they cannot read.
    return isUnencrypted && numberOf(error) === ACCESS_DENIED
      ? `${refused}, or requires TLS for this user: then ${WRITE_TLS}`
      : refused;
  }
  if (codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the server offers no TLS, so no password was sent: set up its certificate, or leave tls out if the network is trusted';
  if (isTlsFault(error))
    return `no secure connection to the server (${messageOf(error)}). tls=verify requires a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE`;
  return undefined;
}
