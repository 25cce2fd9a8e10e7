import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource, dataSourceOptions } from '../../src/database/data-sources.js';
import { ASSET_COLUMNS, type AssetRow } from '../../src/database/asset-row.js';

const ROWS_A_STATEMENT = 1_000;
/** Servers take 16 MB at once as they come. */
const CHARACTERS_A_STATEMENT = 4_000_000;
const ROWS_A_DAY = 900_000;

/** Adds copies of the database's first asset past the service, listed before the others, each with a title of its own. */
export async function addAssets(databaseUrl: string, count: number): Promise<void> {
  const database = createDataSource(await dataSourceOptions(databaseUrl, 'writer'));
  await database.initialize();
  try {
    const [model] = (await database.query('SELECT * FROM asset ORDER BY created_us LIMIT 1')) as [AssetRow];
    const most = Math.min(ROWS_A_STATEMENT, Math.ceil(CHARACTERS_A_STATEMENT / model.body.length));
    for (let first = 1; first <= count; first += most) {
      const size = Math.min(most, count - first + 1);
      await insert(
        database,
        Array.from({ length: size }, (_, i) => copyOf(model, first + i)),
      );
    }
  } finally {
    await database.destroy();
  }
}

function copyOf(model: AssetRow, number: number): AssetRow {
  const day = String(1 + Math.floor(number / ROWS_A_DAY)).padStart(2, '0');
  return {
    ...model,
    id: randomBytes(16).toString('hex'),
    asset_id: `UA-2001-01-${day}-${String(number % ROWS_A_DAY).padStart(6, '0')}`,
    body: model.body.replace('"title":"', () => `"title":"${number} 🚀 `),
    created_us: number,
    modified_us: number,
    feed_us: number,
  };
}

async function insert(database: DataSource, rows: readonly AssetRow[]): Promise<void> {
  const places = rows.map(() => `(${ASSET_COLUMNS.map(() => '?').join(', ')})`).join(', ');
  const values = rows.flatMap((row) => ASSET_COLUMNS.map((column) => row[column]));
  await database.query(`INSERT INTO asset (${ASSET_COLUMNS.join(', ')}) VALUES ${places}`, values);
}
