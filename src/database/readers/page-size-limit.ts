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
interface Read<Row> {
  rows: Row[];
}

/** The statement that has read the rows, and how many there could have been: as many as were asked for, or as many as fit. */
interface Fitting<Row, Statement> {
  read: Statement;
  rows: (Row & ReadRow)[];
  limit: number;
}

/** One statement: at most so many rows, and no body of more than so many bytes. */
type Fetch<Row, Statement> = (limit: number, largest: number) => Promise<Statement & Read<Row>>;

/**
 * Reads as many rows as fit into `PAGE_BYTES`, and the first one in any case. All of them come from one statement, so from one snapshot; those
 * before it have told how many rows to ask for, and read at most twice `PAGE_BYTES` of bodies.
 */
export async function readWithinLimit<Row extends SizedRow, Statement extends Read<Row>>(
  limit: number,
  fetch: Fetch<Row, Statement>,
): Promise<Fitting<Row, Statement>> {
  const first = Math.min(limit, FIRST_ROWS);
  let fitting = fittingOf<Row, Statement>(await fetch(first, largestOf(first)), { asked: first, wanted: limit });
  if (first < limit && fitting.rows.length === first)
    fitting = fittingOf(await fetch(limit, largestOf(limit)), { asked: limit, wanted: limit });
  if (fitting.rows.every(({ body }) => body !== null)) return fitting;
  const { length } = fitting.rows;
  return fittingOf(await fetch(length, NO_BOUND), { asked: length, wanted: length });
}

/** The size of bodies, in bytes, of which so many rows may be read before it is known how many fit. */
function largestOf(rows: number): number {
  return Math.floor((2 * PAGE_BYTES) / rows);
}

/** @param asked of the statement @param wanted of all */
function fittingOf<Row extends SizedRow, Statement extends Read<Row>>(
  read: Statement & Read<Row>,
  { asked, wanted }: { asked: number; wanted: number },
): Fitting<Row, Statement> {
  const count = countWithinLimit(read.rows.map(({ bytes }) => Number(bytes)));
  const rows = read.rows.slice(0, count) as (Row & ReadRow)[];
  return { read, rows, limit: count === asked || count < read.rows.length ? count : wanted };
}

/** How many of some bodies fit together, and the first one in any case. @param sizes in bytes */
export function countWithinLimit(sizes: readonly number[]): number {
  let bytes = 0;
  const past = sizes.findIndex((size, i) => (bytes += size) > PAGE_BYTES && i > 0);
  return past < 0 ? sizes.length : past;
}
