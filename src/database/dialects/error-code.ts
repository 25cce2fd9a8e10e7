/** The driver's code (`ER_DUP_ENTRY`, `ECONNRESET`, `SQLITE_BUSY`), also of an error that TypeORM has wrapped. */
export function codeOf(error: unknown): string | undefined {
  const code = (innermost(error) as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The server's error number, such as 1213. */
export function numberOf(error: unknown): number | undefined {
  const number = (innermost(error) as { errno?: unknown } | undefined)?.errno;
  return typeof number === 'number' ? number : undefined;
}

/** The driver's message, also of an error that TypeORM has wrapped. */
export function messageOf(error: unknown): string {
  return (innermost(error) as Error).message;
}

/** Whether a unique key exists already. */
export function isDuplicate(error: unknown): boolean {
  return numberOf(error) === 1062 || hasCode(error, /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE)$/);
}

/** Whether resolving the host's name or connecting to it failed. */
export function isConnectFailure(error: unknown): boolean {
  return ['getaddrinfo', 'connect'].includes((innermost(error) as NodeJS.ErrnoException).syscall ?? '');
}

/** Whether the server refuses the user, its address, its authentication method, the password or the database's name: a retry cannot help. */
export function isLoginRefused(error: unknown): boolean {
  return [1044, 1045, 1049, 1130, 1251, 1275, 1524, 1698].includes(numberOf(error) ?? 0);
}

/** Whether TLS failed because of the server's configuration or certificate, not because of the network: a retry cannot help. */
export function isTlsFault(error: unknown): boolean {
  if (codeOf(error) !== 'HANDSHAKE_SSL_ERROR') return false;
  // The driver gives one code to all errors during a handshake.
  const isNetworkError = (innermost(error) as NodeJS.ErrnoException).syscall !== undefined;
  return !isNetworkError && !/socket disconnected/.test(messageOf(error));
}

/** Whether the user lacks the right to run the statement. */
export function isDenied(error: unknown): boolean {
  return [1142, 1143, 1227, 1370].includes(numberOf(error) ?? 0);
}

/** Whether the server refused to run the statement at all: the user's query limit was reached, or the password has expired. */
export function isNotExecuted(error: unknown): boolean {
  return [1226, 1820].includes(numberOf(error) ?? 0);
}

/** Whether the whole server refuses writes: read_only, super_read_only, or read-only storage. */
export function isServerReadOnly(error: unknown): boolean {
  return [1290, 1836].includes(numberOf(error) ?? 0);
}

/** Lock wait time-outs and statement time-outs. */
const TIMED_OUT: ReadonlySet<number | undefined> = new Set([1205, 1969, 3024]);

/** Whether a statement timed out, as it does when it waits for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return TIMED_OUT.has(numberOf(error));
}

export function isMissingTable(error: unknown): boolean {
  return numberOf(error) === 1146 || messageOf(error).startsWith('no such table: ');
}

export function isMissingColumn(error: unknown): boolean {
  return numberOf(error) === 1054 || messageOf(error).startsWith('no such column: ');
}

/** Whether another process has the file locked. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^SQLITE_BUSY/);
}

/** Whether the file is damaged or not a database. */
export function isUnreadable(error: unknown): boolean {
  // SQLite has no code for a damaged full-text table.
  return hasCode(error, /^SQLITE_(CORRUPT|NOTADB)/) || messageOf(error).startsWith('invalid fts5 file format');
}

/** Whether a later write to the file may succeed, as when the disk is full. */
export function isTransient(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(FULL|BUSY|LOCKED|IOERR_SHMSIZE|IOERR_WRITE)/);
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return codes.test(codeOf(error) ?? '');
}

function innermost(error: unknown): unknown {
  return (error as { driverError?: unknown } | undefined)?.driverError ?? error;
}
