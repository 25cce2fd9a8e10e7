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

/** Whether a unique key was there already. */
export function isDuplicate(error: unknown): boolean {
  return numberOf(error) === 1062 || /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE)$/.test(codeOf(error) ?? '');
}

function innermost(error: unknown): unknown {
  return (error as { driverError?: unknown } | undefined)?.driverError ?? error;
}
