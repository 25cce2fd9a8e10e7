import { placeholdersFor, type Session } from '../connections/session.js';
import type { CopiedTable } from './tables.js';

/** The values of a row in the order of its table's columns, as the driver returns them. */
export type Row = readonly (string | number | null)[];

const MAX_ROWS = 1_000;
/** Rows of the first batch, whose sizes are not known yet. */
export const FIRST_ROWS = 100;
/** In characters. */
export const MAX_BATCH_LENGTH = 2 ** 22;

/** The rows of a table in the order of its key, in batches of limited size. @param after key after which to begin */
export async function* rowsInOrder(
  session: Session,
  { name, columns, key, names }: CopiedTable,
  after?: Row,
): AsyncGenerator<Row[]> {
  const from = `SELECT ${columns.join(', ')} FROM ${name}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ?`;
  // Servers use the key's index for the first condition; for the second alone they would read the whole table per batch.
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
    limit = nextLimit(limit, rows.length, sizeOf(rows.flat()));
  }
}

/** Rows of the next batch, if they are as large as the last ones. @param length of all rows of the last batch, in characters */
export function nextLimit(limit: number, rows: number, length: number): number {
  const mean = Math.max(1, length / rows);
  return Math.max(1, Math.min(MAX_ROWS, limit * 2, Math.floor(MAX_BATCH_LENGTH / mean)));
}

export async function countRows(session: Session, { name }: CopiedTable): Promise<number> {
  const [row] = await session.query<{ n: number | string }>(`SELECT COUNT(*) AS n FROM ${name}`);
  return Number(row?.n);
}

/** The key of the last row; undefined for an empty table. */
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
