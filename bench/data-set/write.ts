import { printAsset } from '../../src/assets/asset-view.js';
import { newId } from '../../src/assets/identifiers.js';
import { digestOf } from '../../src/auth/api-key.js';
import type { Progress } from '../../src/database/copy/progress.js';
import { ASSET_COLUMNS, toRow } from '../../src/database/asset-row.js';
import { AUDIT_COLUMNS, toAuditRow } from '../../src/database/audit-row.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import { RegistryTime } from '../../src/time/registry-time.js';
import { runCli } from '../../test/support/process.js';
import { BROKER, type DataSet, TIME_ZONE } from './data-set.js';
import { openMysql } from './mysql-rows.js';
import type { Rows } from './rows.js';
import { openSqlite } from './sqlite-rows.js';

/** Of the registry and of the floor, as DATABASE_URL takes them; on the same server. */
export interface DatabasePair {
  registry: string;
  floor: string;
}

const ROWS_AT_ONCE = 500;
const LANES = 4;

/**
 * Fills a pair of databases, the registry's as the service would have left it, one line of the audit for each asset among it, the floor's
 * with the same assets. What is there already stays, whatever was changed in it.
 */
export async function prepare(pair: DatabasePair, dataSet: DataSet, progress: Progress): Promise<void> {
  const migrated = await runCli(['migrate'], { DATABASE_URL: pair.registry });
  if (migrated.code !== 0) throw new Error(migrated.output);
  const [registry, floor] = await Promise.all([open(pair.registry), open(pair.floor)]);
  try {
    if (Number(await registry.ask('SELECT last_us FROM feed_clock')) >= dataSet.lastUs) return;
    await createFloorTables(pair, floor);
    await insertAll(registry, floor, dataSet, progress);
    for (const [day, count] of dataSet.numbersByDay())
      await registry.run('INSERT INTO asset_sequence (day, last_number) VALUES (?, ?)', [day, count]);
    // Last, because it says that all of it is there.
    await registry.run('UPDATE feed_clock SET last_us = ?', [dataSet.lastUs]);
  } finally {
    await Promise.all([registry.close(), floor.close()]);
  }
}

function open(databaseUrl: string): Promise<Rows> {
  return databaseUrl.startsWith('sqlite:') ? openSqlite(databaseUrl) : openMysql(databaseUrl);
}

/** The registry's own table, and the keys that the floor loads at its start. */
async function createFloorTables(pair: DatabasePair, floor: Rows): Promise<void> {
  const model = await open(pair.registry);
  for (const statement of await tableSql(pair, model)) await floor.run(statement);
  await model.close();
  await floor.run('CREATE TABLE api_key (digest varchar(64) NOT NULL, account varchar(100) NOT NULL)');
  await floor.run('INSERT INTO api_key (digest, account) VALUES (?, ?)', [digestOf(BROKER), BROKER]);
}

async function tableSql(pair: DatabasePair, model: Rows): Promise<string[]> {
  if (!pair.registry.startsWith('sqlite:'))
    return [`CREATE TABLE asset LIKE ${new URL(pair.registry).pathname.slice(1)}.asset`];
  const sql = "SELECT json_group_array(sql) FROM sqlite_master WHERE tbl_name = 'asset' AND sql IS NOT NULL";
  return JSON.parse(String(await model.ask(sql))) as string[];
}

async function insertAll(registry: Rows, floor: Rows, dataSet: DataSet, progress: Progress): Promise<void> {
  const time = new RegistryTime(TIME_ZONE);
  const bodyPlace = ASSET_COLUMNS.indexOf('body');
  let next = 0;
  progress.begin(`${dataSet.size} assets`, dataSet.size);
  const lane = async (): Promise<void> => {
    while (next < dataSet.size) {
      const first = next;
      next = Math.min(dataSet.size, first + ROWS_AT_ONCE);
      const assets = Array.from({ length: next - first }, (_, i) => dataSet.assetOf(first + i));
      const answered = assets.map((asset) => toRow(asset).with(bodyPlace, printAsset(asset, time)));
      await Promise.all([
        registry.insert('asset', ASSET_COLUMNS, assets.map(toRow)),
        registry.insert('audit', AUDIT_COLUMNS, assets.map(auditOfCreation)),
        floor.insert('asset', ASSET_COLUMNS, answered),
      ]);
      progress.reach(next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  progress.end();
}

function auditOfCreation({ id, assetId, createdUs }: Asset): unknown[] {
  const detail = JSON.stringify({ assetID: assetId, status: 'draft' });
  return toAuditRow({ us: createdUs, subject: id, actor: BROKER, action: 'asset.create', requestId: newId(), detail });
}
