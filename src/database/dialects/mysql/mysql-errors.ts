import { DeadlineError } from '../../trouble.js';
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

/** Deadlock or certification failed, lock wait, snapshot too old: rolled back for certain. Prepared statement forgotten: not begun. */
const RETRIED = new Set([1213, 1205, 1020, 3101, 1243, 1615]);
/** Shutdown under way, connection killed, idle transaction or client cut off. */
const LOST = new Set([1053, 1927, 1317, 4031]);
/** Node outside of its cluster (also at COMMIT), too many connections, or threads. */
const AWAY = new Set([1047, 1180, 1040, 1135, 1203]);
/**
 * Nobody, or this user or host, is let in for now: offline mode, a locked user (by an operator, or after wrong passwords), its limits, an
 * expired password, TLS that is asked for.
 */
const CLOSED = new Set([3032, 3118, 4151, 3955, 4150, 1129, 1226, 1820, 1862, 3159]);
/**
 * Read-only server, database or table, disk or table full, statement over its time, as when a backup holds all tables. Numbers below 1000
 * are of files: what does not fit into memory waits for the commit in one.
 */
const REFUSED = new Set([
  1290, 1792, 1836, 3989, 1036, 1874, 1881, 1021, 1114, 1, 3, 20, 1004, 1026, 1030, 1878, 1969, 3024,
]);
/** The code of the connection's own error where a packet has another number than is due. */
export const OUT_OF_ORDER = 'PROTOCOL_PACKETS_OUT_OF_ORDER';
const LOST_CODES = new Set([
  OUT_OF_ORDER,
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
]);
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'HANDSHAKE_NO_SSL_SUPPORT',
  'HANDSHAKE_SSL_ERROR',
]);

export function failureOf(error: unknown): Failure {
  if (error instanceof DeadlineError) return 'lost';
  // Somebody has changed the server under us: not one more statement until it is mended.
  if (error instanceof DatabaseUnusableError) return 'away';
  const number = numberOf(error) ?? 0;
  const code = codeOf(error) ?? '';
  if (RETRIED.has(number)) return 'retry';
  if (LOST.has(number) || LOST_CODES.has(code)) return 'lost';
  if (REFUSED.has(number) || isDenied(error)) return 'refused';
  if (AWAY.has(number) || CLOSED.has(number) || isLoginRefused(error) || AWAY_CODES.has(code)) return 'away';
  // A resolver, a firewall and a system without resources have many more codes.
  if (isBeforeConnection(error)) return 'away';
  return /Queue limit reached|Pool is closed|closed state/.test(String((error as Error).message)) ? 'away' : 'defect';
}

export const READ_ONLY = 'it is read-only';
const SILENT = 'it does not answer in time';
const HELD_UP = 'somebody holds its tables or rows, as a backup may, or a commit that waits for room on its disk';

/** What errors mean, each with the server's numbers of it, or the codes of the driver or the system. */
const MEANINGS: readonly [meaning: string, ...errors: (number | string)[]][] = [
  ['it has no connection left: see max_connections', 1040, 1135],
  ['it has no database of the name in DATABASE_URL, or keeps its user out of it', 1044, 1049],
  // Also what MariaDB says to a user who may not come without TLS.
  ['it refuses the user or the password of DATABASE_URL, or asks for TLS', 1045, 1130, 1251, 1275, 1524, 1698],
  ['the user of DATABASE_URL has reached a limit of its own', 1203, 1226],
  ['the password in DATABASE_URL has expired', 1820, 1862],
  ['the user of DATABASE_URL is locked', 3118, 4151],
  ['the user of DATABASE_URL is locked after wrong passwords', 3955, 4150],
  ['it has blocked the address of this service after failed connections: see max_connect_errors', 1129],
  ['it is in offline mode', 3032],
  ['it asks for TLS: see require_secure_transport', 3159],
  ["it is outside of its cluster's majority", 1047, 1180],
  ['it is shutting down', 1053],
  [READ_ONLY, 1290, 1792, 1836, 1036, 1874, 1881, 3989],
  ['its disk is full', 20, 1021],
  ['a table or its disk is full', 1114],
  ['it cannot write its files: see whether its disk is full', 1, 3, 1004, 1026, 1030, 1878],
  [HELD_UP, 1205, 1213, 1969, 3024],
  ['nothing listens at its address', 'ECONNREFUSED'],
  ['the name of its host is not known', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
  ['this service can open no more files: see its LimitNOFILE', 'EMFILE'],
  // The driver's own, too, where a frozen server takes the connection and says nothing.
  [SILENT, 'ETIMEDOUT', 'PROTOCOL_SEQUENCE_TIMEOUT'],
  ['its host cannot be reached', 'EHOSTUNREACH', 'ENETUNREACH'],
  ['the connection breaks', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', OUT_OF_ORDER],
  ['it offers no TLS, which DATABASE_URL asks for', 'HANDSHAKE_NO_SSL_SUPPORT'],
  ['its certificate is refused', 'HANDSHAKE_SSL_ERROR'],
];
const TROUBLES = new Map(MEANINGS.flatMap(([meaning, ...errors]) => errors.map((error) => [error, meaning])));

/** What an operator is told of an error, who may be anybody: no statement, no value, no name of a host or a user. */
export function troubleOf(error: unknown): string {
  if (error instanceof DeadlineError) return SILENT;
  if (error instanceof DatabaseUnusableError) return error.message;
  if (isDenied(error))
    return `its user lacks a right${rightIn(messageOf(error))}: see "Users of the database" in the documentation`;
  const [number, code] = [numberOf(error) ?? 0, codeOf(error) ?? ''];
  return TROUBLES.get(number) ?? TROUBLES.get(code) ?? `its answer is ${code || 'none that is known'}`;
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
export function refusalOf(error: unknown, isPlain: boolean): string | undefined {
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
