/** The driver's code (`ER_DUP_ENTRY`, `ECONNRESET`, `SQLITE_BUSY`) of an error, which TypeORM may have wrapped. */
export function codeOf(error: unknown): string | undefined {
  const code = (innermost(error) as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The server's error number, such as 1213. */
export function numberOf(error: unknown): number | undefined {
  const number = (innermost(error) as { errno?: unknown } | undefined)?.errno;
  return typeof number === 'number' ? number : undefined;
}

/** What the driver says. */
export function messageOf(error: unknown): string {
  return (innermost(error) as Error).message;
}

/** Whether a unique key was there already. */
export function isDuplicate(error: unknown): boolean {
  return numberOf(error) === 1062 || isOf(error, /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE)$/);
}

/** Whether it came before there was a connection: its host has no address for now, or cannot be reached from here. */
export function isBeforeConnection(error: unknown): boolean {
  return ['getaddrinfo', 'connect'].includes((innermost(error) as NodeJS.ErrnoException).syscall ?? '');
}

/** Whether the server does not take the user (from here, or in its way to log in), the password or the database's name: waiting would not help. */
export function isLoginRefused(error: unknown): boolean {
  return [1044, 1045, 1049, 1130, 1251, 1275, 1524, 1698].includes(numberOf(error) ?? 0);
}

/** Whether TLS fails for what the server is or shows, and not because the network broke off: waiting would not help. */
export function isTlsFault(error: unknown): boolean {
  if (codeOf(error) !== 'HANDSHAKE_SSL_ERROR') return false;
  // The driver gives one code to all errors between the first bytes and the last of a handshake.
  const isOfNetwork = (innermost(error) as NodeJS.ErrnoException).syscall !== undefined;
  return !isOfNetwork && !/socket disconnected/.test(messageOf(error));
}

/** Whether the user has no right to what the statement does. */
export function isDenied(error: unknown): boolean {
  return [1142, 1143, 1227, 1370].includes(numberOf(error) ?? 0);
}

/** Whether the user may do nothing more for now, so that the statement was not begun: queries of the hour, a password that expired. */
export function isNotBegun(error: unknown): boolean {
  return [1226, 1820].includes(numberOf(error) ?? 0);
}

/** Whether the whole server takes no writes: by read_only or super_read_only, or because its storage is read-only. */
export function isServerReadOnly(error: unknown): boolean {
  return [1290, 1836].includes(numberOf(error) ?? 0);
}

/** A lock wait, or a statement over its time. */
const HELD_UP: ReadonlySet<number | undefined> = new Set([1205, 1969, 3024]);

/** Whether a statement waited in vain for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return HELD_UP.has(numberOf(error));
}

export function isMissingTable(error: unknown): boolean {
  return numberOf(error) === 1146 || messageOf(error).startsWith('no such table: ');
}

export function isMissingColumn(error: unknown): boolean {
  return numberOf(error) === 1054 || messageOf(error).startsWith('no such column: ');
}

/** Whether another process holds up the file. */
export function isBusy(error: unknown): boolean {
  return isOf(error, /^SQLITE_BUSY/);
}

/** Whether the file is damaged, or none of a database. */
export function isUnreadable(error: unknown): boolean {
  // SQLite has no code of its own for what it says of a full-text table.
  return isOf(error, /^SQLITE_(CORRUPT|NOTADB)/) || messageOf(error).startsWith('invalid fts5 file format');
}

/** Whether the file may be written later: a full disk may have room again. */
export function isTransient(error: unknown): boolean {
  return isOf(error, /^SQLITE_(FULL|BUSY|LOCKED|IOERR_SHMSIZE|IOERR_WRITE)/);
}

function isOf(error: unknown, codes: RegExp): boolean {
  return codes.test(codeOf(error) ?? '');
}

function innermost(error: unknown): unknown {
  return (error as { driverError?: unknown } | undefined)?.driverError ?? error;
}
