import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ASSETS } from '../../src/database/readers/asset-row.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import { placeholdersFor } from '../../src/database/connections/session.js';
import { retryWhileLocked, withDatabase } from './retry-while-locked.js';

const ROWS_A_STATEMENT = 1_000;
/** Below the 16 MB that servers accept per statement by default. */
const CHARACTERS_A_STATEMENT = 4_000_000;
const ROWS_A_DAY = 900_000;

/** Inserts copies of the database's first asset, bypassing the service; they are listed before all others, with distinct titles. */
export function addAssets(databaseUrl: string, count: number): Promise<void> {
  return withDatabase(databaseUrl, async (database) => {
    const sql = `SELECT ${ASSETS.select()} FROM asset ORDER BY created_us LIMIT 1`;
    const [model] = await database.query<[Asset]>(sql);
    const most = Math.min(ROWS_A_STATEMENT, Math.ceil(CHARACTERS_A_STATEMENT / model.body.length));
    for (let first = 1; first <= count; first += most) {
      const length = Math.min(most, count - first + 1);
      const copies = Array.from({ length }, (_, i) => copyOf(model, first + i));
      await insertRows(database, 'asset', ASSETS.columns, ASSETS.toRows(copies));
    }
  });
}

function copyOf(model: Asset, number: number): Asset {
  const day = String(1 + Math.floor(number / ROWS_A_DAY)).padStart(2, '0');
  return {
    ...model,
    id: randomBytes(16).toString('hex'),
    assetId: `UA-2001-01-${day}-${String(number % ROWS_A_DAY).padStart(6, '0')}`,
    body: model.body.replace('"title":"', () => `"title":"${number} 🚀 `),
    createdUs: number,
    modifiedUs: number,
    feedUs: number,
  };
}

/** Inserts rows with one statement. */
export async function insertRows(
  database: DataSource,
  table: string,
  columns: readonly string[],
  rows: unknown[][],
): Promise<void> {
  const tuples = rows.map((row) => `(${placeholdersFor(row)})`).join(', ');
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples}`;
  await retryWhileLocked(() => database.query(sql, rows.flat()));
}
