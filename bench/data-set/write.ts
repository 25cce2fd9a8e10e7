import { newId } from '../../src/asset/identifiers.js';
import { printAsset } from '../../src/asset/asset-view.js';
import { secretDigest } from '../../src/auth/api-key.js';
import type { Progress } from '../../src/database/copy/progress.js';
import { ASSETS } from '../../src/database/asset-row.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import { AuditEntry } from '../../src/database/entities/audit-entry.entity.js';
import { EntityTable } from '../../src/database/entity-table.js';
import { RegistryTime } from '../../src/time/registry-time.js';
import { runCli } from '../../test/support/process.js';
import { BROKER, type DataSet, TIME_ZONE } from './data-set.js';
import { openMysql } from './mysql-rows.js';
import type { Rows } from './rows.js';
import { type ByServer, eachServer, SERVER_TITLES, type ServerName } from '../servers.js';
import { openSqlite } from './sqlite-rows.js';

const ROWS_AT_ONCE = 500;
const LANES = 4;
const AUDIT = EntityTable.of(AuditEntry);

/**
 * Fills databases with the same assets. What is there already stays, whatever was changed in it.
 * @param urls as DATABASE_URL takes them; on the same server
 */
export async function prepare(urls: ByServer<string>, dataSet: DataSet, progress: Progress): Promise<void> {
  await prepareRegistry(urls.registry, dataSet, progress);
  for (const [name, url] of eachServer(urls))
    if (name !== 'registry') await prepareOther(name, url, urls.registry, dataSet, progress);
}

export async function migrate(databaseUrl: string): Promise<void> {
  const migrated = await runCli(['migrate'], { DATABASE_URL: databaseUrl });
  if (migrated.code !== 0) throw new Error(migrated.output);
}

/** Fills it as the service would have left it, with a line of the audit for each asset. */
export async function prepareRegistry(databaseUrl: string, dataSet: DataSet, progress: Progress): Promise<void> {
  await migrate(databaseUrl);
  await withRows(databaseUrl, async (rows) => {
    if (Number(await rows.ask('SELECT last_us FROM feed_clock')) >= dataSet.lastUs) return;
    progress.begin(`registry, ${dataSet.size} assets`, dataSet.size);
    await inLanes(dataSet, progress, async (assets) => {
      await rows.insert('asset', ASSETS.columns, ASSETS.toRows(assets));
      await rows.insert('audit', AUDIT.columns, AUDIT.toRows(assets.map(auditOfCreation)));
    });
    for (const [day, count] of dataSet.numbersByDay())
      await rows.run('INSERT INTO asset_sequence (day, last_number) VALUES (?, ?)', [day, count]);
    // Last, because it says that all of it is there.
    await rows.run('UPDATE feed_clock SET last_us = ?', [dataSet.lastUs]);
  });
}

/** The registry's own table, and the keys that the others load at their start. */
async function prepareOther(
  name: ServerName,
  url: string,
  registry: string,
  dataSet: DataSet,
  progress: Progress,
): Promise<void> {
  const tables = await withRows(registry, (model) => tableSql(registry, model));
  const time = new RegistryTime(TIME_ZONE);
  await withRows(url, async (rows) => {
    await rows.run('CREATE TABLE IF NOT EXISTS api_key (digest varchar(64) NOT NULL, account varchar(100) NOT NULL)');
    if (Number(await rows.ask('SELECT COUNT(*) FROM api_key')) > 0) return;
    for (const statement of tables) await rows.run(statement);
    progress.begin(`${SERVER_TITLES[name]}, ${dataSet.size} assets`, dataSet.size);
    await inLanes(dataSet, progress, (assets) =>
      rows.insert(
        'asset',
        ASSETS.columns,
        ASSETS.toRows(assets.map((asset) => Object.assign(asset, { body: printAsset(asset, time) }))),
      ),
    );
    await rows.run('INSERT INTO api_key (digest, account) VALUES (?, ?)', [secretDigest(BROKER), BROKER]);
  });
}

async function tableSql(registry: string, model: Rows): Promise<string[]> {
  if (!registry.startsWith('sqlite:')) {
    const database = new URL(registry).pathname.slice(1);
    return [`CREATE TABLE asset LIKE ${database}.asset`];
  }
  const sql = "SELECT json_group_array(sql) FROM sqlite_master WHERE tbl_name = 'asset' AND sql IS NOT NULL";
  return JSON.parse(String(await model.ask(sql))) as string[];
}

async function withRows<T>(databaseUrl: string, work: (rows: Rows) => Promise<T>): Promise<T> {
  const rows = await (databaseUrl.startsWith('sqlite:') ? openSqlite(databaseUrl) : openMysql(databaseUrl));
  try {
    return await work(rows);
  } finally {
    await rows.close();
  }
}

async function inLanes(
  dataSet: DataSet,
  progress: Progress,
  insert: (assets: Asset[]) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < dataSet.size) {
      const first = next;
      next = Math.min(dataSet.size, first + ROWS_AT_ONCE);
      await insert(Array.from({ length: next - first }, (_, i) => dataSet.assetOf(first + i)));
      progress.reach(next);
    }
  };
  // `next` grows as the lanes go on: they share the work.
  await Promise.all(Array.from({ length: LANES }, lane));
  progress.end();
}

function auditOfCreation({ id, assetId, createdUs }: Asset): AuditEntry {
  const detail = JSON.stringify({ assetID: assetId, status: 'draft' });
  return { us: createdUs, subject: id, actor: BROKER, action: 'asset.create', requestId: newId(), detail };
}
