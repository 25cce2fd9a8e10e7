/** What a value needs beside its bytes: brackets, commas, lengths. */
const EACH_VALUE = 24;
/** No character of a string takes more. */
const MOST_BYTES_EACH = 3;

/**
 * The rows of one statement after the other, in their order: as many as take at most `mostBytes`. One that takes more goes alone.
 */
export function statementRows<Row extends readonly unknown[]>(rows: readonly Row[], mostBytes: number): Row[][] {
  const characters = rows.reduce((sum, row) => sum + sizeOf(row, (text) => text.length), 0);
  // To count the bytes of a megabyte takes milliseconds, and nearly always there is no need.
  if (characters * MOST_BYTES_EACH <= mostBytes) return rows.length === 0 ? [] : [[...rows]];
  const statements: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    const bytes = sizeOf(row, (text) => Buffer.byteLength(text));
    if (bytes > left) {
      statements.push([]);
      left = mostBytes;
    }
    statements.at(-1)?.push(row);
    left -= bytes;
  }
  return statements;
}

function sizeOf(row: readonly unknown[], count: (text: string) => number): number {
  let size = EACH_VALUE * row.length;
  for (const value of row) if (typeof value === 'string') size += count(value);
  return size;
}
