import { READ_ASSETS, type ReadRow } from './asset-row.js';
import type { Dialect } from '../dialects/dialect.js';

/** Maximum bytes of bodies on one page, unless the first alone is larger. */
export const PAGE_BYTES = 2 * 1024 * 1024;
/** Rows of the first attempt, because MariaDB and MySQL read a body to get its size; all rows follow only if these fit. */
const FIRST_ROWS = 100;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Columns of a listed asset with the size of its body; the body itself only if it has at most as many bytes as the bound value. */
export function sizedSql(dialect: Dialect): string {
  const special: Record<string, string> = {
    body: `CASE WHEN OCTET_LENGTH(body) <= ? THEN ${dialect.sql.bytes('body')} END`,
    // The page is ordered by it.
    modified_us: 'feed_us',
  };
  const sqlOf = (column: string): string => special[column] ?? column;
  return `${READ_ASSETS.select(sqlOf)}, OCTET_LENGTH(body) AS bytes`;
}

/** NULL for each column of `sizedSql`, for other rows of a UNION. */
export const UNSIZED_SQL = `${READ_ASSETS.select(() => 'NULL')}, NULL AS bytes`;

/** `body` is null if it was too large. */
export type SizedRow = Omit<ReadRow, 'body'> & { body: Buffer | null; bytes: number | string };

/** The result of a statement: its rows in order, and other values of the caller's. */
interface Read {
  rows: SizedRow[];
}

/** The last statement's result, the rows that fit, and the page's maximum of rows: as requested, or as many as fit. */
interface Fitting<Statement extends Read> {
  read: Statement;
  rows: (Statement['rows'][number] & ReadRow)[];
  limit: number;
}

/**
 * Reads as many rows as fit into `PAGE_BYTES`, but at least one. All come from the last statement, so from one snapshot; earlier ones only
 * find out how many fit, and read at most twice `PAGE_BYTES`.
 * @param fetch runs one statement for at most `most` rows, without bodies of more than `largest` bytes
 */
export async function readWithinLimit<Statement extends Read>(
  limit: number,
  fetch: (most: number, largest: number) => Promise<Statement>,
): Promise<Fitting<Statement>> {
  const readSome = async (most: number, wanted: number, largest = (2 * PAGE_BYTES) / most) => {
    const read = await fetch(most, Math.floor(largest));
    const count = countWithinLimit(read.rows.map(({ bytes }) => Number(bytes)));
    const rows = read.rows.slice(0, count) as Fitting<Statement>['rows'];
    return { read, rows, limit: count === most || count < read.rows.length ? count : wanted };
  };
  const first = Math.min(limit, FIRST_ROWS);
  let fitting = await readSome(first, limit);
  if (first < limit && fitting.rows.length === first) fitting = await readSome(limit, limit);
  if (fitting.rows.every(({ body }) => body !== null)) return fitting;
  const { length } = fitting.rows;
  return readSome(length, length, UNLIMITED);
}

/** How many of the first bodies fit on a page, at least one. @param sizes in bytes */
export function countWithinLimit(sizes: readonly number[]): number {
  let bytes = 0;
  const past = sizes.findIndex((size, i) => (bytes += size) > PAGE_BYTES && i > 0);
  return past < 0 ? sizes.length : past;
}
