import { createHash } from 'node:crypto';
import type { CopiedDatabase } from './copied-database.js';
import type { Progress } from './progress.js';
import { countRows, type Row, rowsInOrder } from './rows.js';
import type { CopiedTable } from './tables.js';

/** The result of comparing one table. */
export interface Comparison {
  table: string;
  rows: number;
  otherRows: number;
  /** SHA-256 of all rows, in hex. */
  sha256: string;
  equal: boolean;
}

/** Compares every column of every row by digests, table by table. */
export async function compareTables(
  one: CopiedDatabase,
  other: CopiedDatabase,
  progress: Progress,
  isCompared: (table: CopiedTable) => boolean = () => true,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const table of one.tables.filter(isCompared)) {
    progress.begin(`compare ${table.name}`, await countRows(one.session, table));
    const [mine, theirs] = await Promise.all([
      tableDigest(one, table, (rows) => progress.reach(rows)),
      tableDigest(other, other.tableLike(table), () => undefined),
    ]);
    progress.end();
    const equal = mine.rows === theirs.rows && mine.sha256 === theirs.sha256;
    comparisons.push({ table: table.name, rows: mine.rows, otherRows: theirs.rows, sha256: mine.sha256, equal });
  }
  return comparisons;
}

/** @throws Error that names the tables that differ */
export function assertEqual(comparisons: readonly Comparison[]): void {
  const different = comparisons.filter(({ equal }) => !equal);
  if (different.length === 0) return;
  const tables = different.map(({ table, rows, otherRows }) => `${table} (${rows} and ${otherRows} rows)`);
  throw new Error(`The digests differ: ${tables.join(', ')}`);
}

async function tableDigest(
  { session }: CopiedDatabase,
  table: CopiedTable,
  reached: (rows: number) => void,
): Promise<Pick<Comparison, 'rows' | 'sha256'>> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const batch of rowsInOrder(session, table)) {
    for (const row of batch) hash.update(`${textOf(row)}\n`);
    rows += batch.length;
    reached(rows);
  }
  return { rows, sha256: hash.digest('hex') };
}

/** Equal for equal rows, even if one driver returns numbers as text. */
function textOf(row: Row): string {
  return JSON.stringify(row.map((value) => (value === null ? null : String(value))));
}
