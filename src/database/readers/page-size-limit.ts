import { READ_ASSETS, type ReadRow } from './asset-row.js';
import type { Dialect } from '../dialects/dialect.js';

/** Bodies that are answered together have at most so many bytes, unless the first one alone is larger. */
export const PAGE_BYTES = 2 * 1024 * 1024;
/** MariaDB and MySQL read a body to know its size: so many rows are read first, and more only where all of these fit. */
const FIRST_ROWS = 100;
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** What a SELECT reads of a listed asset: its size, and its body unless that has more bytes than the value that is bound here. */
export function sizedSql(dialect: Dialect): string {
  const special: Record<string, string> = {
    body: `CASE WHEN OCTET_LENGTH(body) <= ? THEN ${dialect.sql.bytes('body')} END`,
    // The place in the feed is what a page is ordered by, and so what its entries say.
    modified_us: 'feed_us',
  };
  const sqlOf = (column: string): string => special[column] ?? column;
  return `${READ_ASSETS.select(sqlOf)}, OCTET_LENGTH(body) AS bytes`;
}

/** A SELECT's columns with the names of `READ_ASSETS` and `bytes`, all NULL: the rows of a UNION that carry nothing. */
export const UNSIZED_SQL = `${READ_ASSETS.select(() => 'NULL')}, NULL AS bytes`;

/** Without the body where that was too large. */
export type SizedRow = Omit<ReadRow, 'body'> & { body: Buffer | null; bytes: number | string };

/** What a statement has read: its rows in order, and whatever else it told. */
interface Read {
  rows: SizedRow[];
}

/** The statement that has read the rows, and how many there could have been: as many as were asked for, or as many as fit. */
interface Fitting<Statement extends Read> {
  read: Statement;
  rows: (Statement['rows'][number] & ReadRow)[];
  limit: number;
}

/**
 * Reads as many rows as fit into `PAGE_BYTES`, and the first one in any case. All of them come from one statement, so from one snapshot; those
 * before it have told how many rows to ask for, and read at most twice `PAGE_BYTES` of bodies.
 * @param fetch one statement: at most so many rows, and no body of more than so many bytes
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
  return readSome(length, length, NO_BOUND);
}

/** How many of some bodies fit together, and the first one in any case. @param sizes in bytes */
export function countWithinLimit(sizes: readonly number[]): number {
  let bytes = 0;
  const past = sizes.findIndex((size, i) => (bytes += size) > PAGE_BYTES && i > 0);
  return past < 0 ? sizes.length : past;
}
