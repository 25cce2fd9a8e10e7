import { READ_ASSETS, type ReadRow } from './asset-row.js';
import type { Dialect } from './dialects/dialect.js';
import { LRUCache } from 'lru-cache';

/**
 * Bodies that are answered together, unless the first one alone is larger; two always fit, as none has more than 1 MiB. To print them indented
 * holds the event loop for some 50 ms.
 */
export const PAGE_BYTES = 2 * 1024 * 1024;
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/**
 * What a SELECT reads of a listed asset: nothing of a body that has more bytes than the value that is bound here, twice. Where SQLite keeps a
 * large one, it would have to go through all of it for the columns behind it.
 * @param along the index of the feed, which has its instants; else the value is bound once more, and a large one has no instant either
 */
export function sizedSql(dialect: Dialect, along: 'feed' | 'ids'): string {
  const unlessLarge = (sql: string): string => `CASE WHEN OCTET_LENGTH(body) <= ? THEN ${sql} END`;
  const special: Record<string, string> = {
    body: unlessLarge(dialect.bytesSql('body')),
    created_us: unlessLarge('created_us'),
    modified_us: along === 'feed' ? 'feed_us' : unlessLarge('modified_us'),
  };
  return `${READ_ASSETS.select((column) => special[column] ?? column)}, OCTET_LENGTH(body) AS bytes`;
}

/** A SELECT's columns with the names of `READ_ASSETS` and `bytes`, all NULL: the rows of a UNION that carry nothing. */
export const UNSIZED_SQL = `${READ_ASSETS.select(() => 'NULL')}, NULL AS bytes`;

/** Without the body and when it was created, where the body was too large. */
export type SizedRow = Omit<ReadRow, 'body' | 'createdUs'> & {
  body: Buffer | null;
  createdUs: number | string | null;
  bytes: number | string;
};

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
 * Reads as many rows as fit into `bytes`, and the first one in any case. Ordinary ones take one statement. Large ones are not read by it, only
 * their sizes, and another statement reads as many as fit: on its own, as if no more had been asked for.
 * @param known what is known of the bodies at a place of the feed
 * @param bytes of all bodies together
 */
export async function readFitting<Row extends SizedRow, Statement extends Read<Row>>(
  limit: number,
  { sizes, place }: { sizes: BodySizes; place: string },
  fetch: Fetch<Row, Statement>,
  bytes = PAGE_BYTES,
): Promise<Fitting<Row, Statement>> {
  // Before it is known how many fit, those of an ordinary page may be read, and some larger ones.
  const largest = Math.floor((2 * bytes) / limit);
  for (let most = sizes.rowsAt(place, limit); ;) {
    const read = await fetch(most, largest).catch((error: unknown) => {
      // Perhaps there were too many large ones for the time of a statement.
      sizes.forget(place);
      throw error;
    });
    sizes.note(place, read.rows.map(bytesOf));
    const fitting = fittingOf<Row, Statement>(read, { asked: most, wanted: limit, bytes });
    const more = sizes.rowsAt(place, limit);
    if (fitting.rows.length === most && more > most) most = more;
    else if (fitting.rows.every(({ body }) => body !== null)) return fitting;
    else {
      const { length } = fitting.rows;
      return fittingOf(await fetch(length, NO_BOUND), { asked: length, wanted: length, bytes });
    }
  }
}

/** @param asked of the statement @param wanted of all */
function fittingOf<Row extends SizedRow, Statement extends Read<Row>>(
  read: Statement & Read<Row>,
  { asked, wanted, bytes }: { asked: number; wanted: number; bytes: number },
): Fitting<Row, Statement> {
  const count = fittingCount(read.rows.map(bytesOf), bytes);
  const rows = read.rows.slice(0, count) as (Row & ReadRow)[];
  return { read, rows, limit: count === asked || count < read.rows.length ? count : wanted };
}

/** How many of some bodies fit together, and the first one in any case. @param sizes in bytes */
export function fittingCount(sizes: readonly number[], most = PAGE_BYTES): number {
  let bytes = 0;
  const past = sizes.findIndex((size, i) => (bytes += size) > most && i > 0);
  return past < 0 ? sizes.length : past;
}

function bytesOf({ bytes }: SizedRow): number {
  return Number(bytes);
}

/** Where nothing is known: so many large bodies are looked at in a second. */
const ROWS_AT_FIRST = 100;
/** Bytes of bodies whose sizes one statement looks at: MariaDB and MySQL read a body to know its size. */
const LOOKED_AT_BYTES = 32 * 1024 * 1024;
const MOST_PLACES = 10_000;

/** How large bodies were at places of the feed: whoever goes on from a page is likely to meet what was on it. */
export class BodySizes {
  /** With `max` it would make room for all of them at once, and some are made for one page alone. */
  private readonly averages = new LRUCache<string, number>({ maxSize: MOST_PLACES, sizeCalculation: () => 1 });

  /** @param lookedAtBytes of bodies whose sizes one statement looks at */
  constructor(private readonly lookedAtBytes = LOOKED_AT_BYTES) {}

  /** How many rows to look at, of so many that are wanted from a place on. */
  rowsAt(place: string, wanted: number): number {
    const average = this.averages.get(place);
    return Math.min(
      wanted,
      average === undefined ? ROWS_AT_FIRST : Math.max(Math.floor(this.lookedAtBytes / average), 1),
    );
  }

  /** @param sizes in bytes, of what stands from a place on */
  note(place: string, sizes: readonly number[]): void {
    if (sizes.length > 0) this.averages.set(place, sizes.reduce((sum, size) => sum + size, 0) / sizes.length + 1);
  }

  forget(place: string): void {
    this.averages.delete(place);
  }
}
