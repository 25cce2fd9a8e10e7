import { DeadlineError } from '../../connections/deadline.js';
import {
  codeOf,
  isBeforeConnection,
  isDenied,
  isLoginRefused,
  isTlsFault,
  messageOf,
  numberOf,
} from '../error-code.js';
import { DatabaseUnusableError, type Failure } from '../dialect.js';

/*
 * The errors of MySQL's and MariaDB's servers, and of their driver: how each is to be taken, and what an operator is told of it.
 */

/** The code of the connection's own error where a packet has another number than is due. */
export const OUT_OF_ORDER = 'PROTOCOL_PACKETS_OUT_OF_ORDER';
export const READ_ONLY = 'it is read-only';
const SILENT = 'it does not answer in time';
const HELD_UP = 'somebody holds its tables or rows, as a backup may, or a commit that waits for room on its disk';

/** How errors are to be taken, what they mean, and the numbers that a server gives them, or the codes of the driver or the system. */
const ERRORS: readonly [failure: Failure, meaning: string | undefined, ...errors: (number | string)[]][] = [
  // A deadlock, or a certification of a cluster that failed; a wait for a lock. The transaction was rolled back for certain.
  ['retry', HELD_UP, 1213, 1205],
  // The same for a snapshot that is too old, and in a group; a prepared statement that was forgotten, and so not begun.
  ['retry', undefined, 1020, 3101, 1243, 1615],
  ['lost', 'it is shutting down', 1053],
  // Connection killed, statement interrupted, idle transaction or client cut off.
  ['lost', undefined, 1927, 1317, 4031, 'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR'],
  ['lost', 'the connection breaks', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', OUT_OF_ORDER],
  ['lost', SILENT, 'PROTOCOL_SEQUENCE_TIMEOUT'],
  // The driver's own, too, where a frozen server takes the connection and says nothing.
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
  ['away', 'it has no database of the name in DATABASE_URL, or keeps its user out of it', 1044, 1049],
  // Also what MariaDB says to a user who may not come without TLS.
  ['away', 'it refuses the user or the password of DATABASE_URL, or asks for TLS', 1045, 1130, 1251, 1275, 1524, 1698],
  ['away', 'it asks for TLS: see require_secure_transport', 3159],
  ['away', 'the user of DATABASE_URL has reached a limit of its own', 1203, 1226],
  ['away', 'the password in DATABASE_URL has expired', 1820, 1862],
  ['away', 'the user of DATABASE_URL is locked', 3118, 4151],
  ['away', 'the user of DATABASE_URL is locked after wrong passwords', 3955, 4150],
  ['away', 'it has blocked the address of this service after failed connections: see max_connect_errors', 1129],
  ['away', 'it is in offline mode', 3032],
  // The server, its storage, the database or the table.
  ['refused', READ_ONLY, 1290, 1792, 1836, 1036, 1874, 1881, 3989],
  ['refused', 'its disk is full', 20, 1021],
  ['refused', 'a table or its disk is full', 1114],
  // Numbers below 1000 are of files: what does not fit into memory waits for the commit in one.
  ['refused', 'it cannot write its files: see whether its disk is full', 1, 3, 1004, 1026, 1030, 1878],
  // A statement over its time, as when a backup holds all tables.
  ['refused', HELD_UP, 1969, 3024],
];
const KNOWN = new Map(
  ERRORS.flatMap(([failure, meaning, ...errors]) => errors.map((error) => [error, { failure, meaning }])),
);

function known(error: unknown): { failure: Failure; meaning: string | undefined } | undefined {
  return KNOWN.get(numberOf(error) ?? 0) ?? KNOWN.get(codeOf(error) ?? '');
}

export function classifyFailure(error: unknown): Failure {
  if (error instanceof DeadlineError) return 'lost';
  // Somebody has changed the server under us: not one more statement until it is mended.
  if (error instanceof DatabaseUnusableError) return 'away';
  if (isDenied(error)) return 'refused';
  const failure = known(error)?.failure;
  if (failure !== undefined) return failure;
  // A resolver, a firewall and a system without resources have many more codes.
  if (isBeforeConnection(error)) return 'away';
  return /Queue limit reached|Pool is closed|closed state/.test(String((error as Error).message)) ? 'away' : 'defect';
}

/** What an operator is told of an error, who may be anybody: no statement, no value, no name of a host or a user. */
export function describeFailure(error: unknown): string {
  if (error instanceof DeadlineError) return SILENT;
  if (error instanceof DatabaseUnusableError) return error.message;
  if (isDenied(error))
    return `its user lacks a right${rightIn(messageOf(error))}: see "Users of the database" in the documentation`;
  return known(error)?.meaning ?? `its answer is ${codeOf(error) ?? 'none that is known'}`;
}

/** Which one, as the server's sentence has it; empty where it is of another kind, or in another language. */
function rightIn(denial: string): string {
  const [, right, table] = /^([A-Z, ]+) command denied to user .* table [`'](?:\w+`\.`)?(\w+)[`']/.exec(denial) ?? [];
  return right === undefined ? '' : ` (${right} on ${table})`;
}

const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;
const WRITE_TLS =
  'write ?tls=verify at the end of the URL, with &ca=FILE for an authority of your own, or ?tls=require';

/**
 * Why a server lets nobody in, where waiting would not help.
 * @param isPlain whether the connection was not encrypted
 * @returns the end of a sentence that begins with the database; undefined for every other error
 */
export function describeRefusal(error: unknown, isPlain: boolean): string | undefined {
  if (numberOf(error) === TLS_REQUIRED) return `the server takes encrypted connections only: ${WRITE_TLS}`;
  if (isLoginRefused(error)) {
    const refused = 'the server refuses the user, password or database name of the URL';
    // A user who may come over TLS only is told the same as one with a wrong password, and so is one whose password it cannot read.
    return isPlain && numberOf(error) === ACCESS_DENIED
      ? `${refused}, or lets this user in over TLS only: then ${WRITE_TLS}`
      : refused;
  }
  if (codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the server offers no TLS, and was told no password: set up its certificate, or leave tls out where nobody can listen in';
  if (isTlsFault(error))
    return `no secure connection to the server (${messageOf(error)}). tls=verify asks for a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE`;
  return undefined;
}
