import { placeholdersFor, type Session } from '../connections/session.js';
import type { CopiedTable } from './tables.js';

/** The values of a row in the order of its table's columns, as the driver hands them out. */
export type Row = readonly (string | number | null)[];

const MAX_ROWS = 1_000;
const FIRST_ROWS = 100;
/** Largest batch, in characters. */
const BATCH_SIZE = 2 ** 22;

/** The rows of a table in the order of its key, in batches of bounded size. @param after values of a key: only what comes after it */
export async function* rowsInOrder(
  session: Session,
  { name, columns, key, names }: CopiedTable,
  after?: Row,
): AsyncGenerator<Row[]> {
  const from = `SELECT ${columns.join(', ')} FROM ${name}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ?`;
  // Servers look up the first condition in the key; the second alone would make them read the whole table for each batch.
  const condition = `WHERE ${key[0]} >= ? AND (${key.join(', ')}) > (${placeholdersFor(key)})`;
  const keyNames = names.filter((_, i) => key.includes(columns[i] as string));
  let last = after;
  let limit = FIRST_ROWS;
  for (;;) {
    const sql = last === undefined ? `${from} ${order}` : `${from} ${condition} ${order}`;
    const bound = last === undefined ? [limit] : [last[0], ...last, limit];
    const found = await session.query<Record<string, string | number | null>>(sql, bound);
    if (found.length === 0) return;
    const rows = found.map((row) => names.map((column) => row[column] ?? null));
    yield rows;
    last = keyNames.map((column) => found.at(-1)?.[column] ?? null);
    limit = nextLimit(limit, rows);
  }
}

/** How many rows fit into the next batch when they are as large as those before. */
function nextLimit(limit: number, rows: readonly Row[]): number {
  const mean = Math.max(1, sizeOf(rows.flat()) / rows.length);
  return Math.max(1, Math.min(MAX_ROWS, limit * 2, Math.floor(BATCH_SIZE / mean)));
}

export async function countRows(session: Session, { name }: CopiedTable): Promise<number> {
  const [row] = await session.query<{ n: number | string }>(`SELECT COUNT(*) AS n FROM ${name}`);
  return Number(row?.n);
}

/** The key of the last row in the key's order; undefined where there is none. */
export async function lastKey(session: Session, { name, key }: CopiedTable): Promise<Row | undefined> {
  const order = key.map((column) => `${column} DESC`).join(', ');
  const [row] = await session.query<Record<string, string | number>>(
    `SELECT ${key.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`,
  );
  return row && Object.values(row);
}

function sizeOf(row: Row): number {
  return row.reduce<number>((size, value) => size + String(value).length, 0);
}
