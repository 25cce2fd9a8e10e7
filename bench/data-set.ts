import { hash } from 'node:crypto';
import { BasicAsset } from '../src/asset-types/basic/basic.dto.js';
import { printFields } from '../src/asset-types/fields-json.js';
import { printAsset } from '../src/feed/reading/asset-view.js';
import { formatAssetId, newId } from '../src/feed/asset-identifiers.js';
import { secretDigest } from '../src/auth/api-key.js';
import { ASSETS } from '../src/database/readers/asset-row.js';
import type { Asset } from '../src/database/entities/asset.entity.js';
import { AuditEntry } from '../src/database/entities/audit-entry.entity.js';
import { EntityTable } from '../src/database/entities/entity-table.js';
import { RegistryTime } from '../src/platform/time/registry-time.js';
import { insertRows } from '../test/support/many-assets.js';
import { withDatabase } from '../test/support/retry-while-locked.js';
import { runCli } from '../test/support/process.js';
import { Random } from '../test/support/random.js';
import { fieldsFrom } from './content.js';

/** Time zone of all servers. */
export const TIME_ZONE = 'UTC';
/** Account and key of the demo, which owns every asset. */
export const BROKER = 'broker';

const SEED = 20261121;
const DAY = '2024-11-01';
const BEGIN_US = Date.parse(DAY) * 1_000;
/** Five million assets fit in the day. */
const STEP_US = 17_000;
const SHARES = { draft: 1, deleted: 1, complete: 2, active: 4, pending: 12 };
const STATUSES = Object.entries(SHARES).flatMap(([status, share]) => Array<string>(share).fill(status));
/** Half of the pending entries in STATUSES. Only these are changed, so that the others keep their position in the feed. */
const CHANGED = { first: 14, count: 6 };
const ROWS_A_STATEMENT = 500;
const AUDIT = EntityTable.of(AuditEntry);
const time = new RegistryTime(TIME_ZONE);

/** Assets numbered from 0. An asset follows from its number alone, so requests can be made without reading any. */
export class DataSet {
  constructor(readonly size: number) {}

  idOf(number: number): string {
    const hex = hexFrom(`id ${number}`);
    return `${hex.slice(0, 12)}4${hex.slice(13, 16)}a${hex.slice(17)}`;
  }

  ownerTokenOf(number: number): string {
    return hexFrom(`token ${number}`);
  }

  /** The `offset` of the page that begins after this asset. */
  offsetAt(number: number): string {
    return time.print(this.instantOf(number));
  }

  /** Microseconds. */
  instantOf(number: number): number {
    return BEGIN_US + (number + 1) * STEP_US;
  }

  /** @returns the number of a pending asset whose position in the feed no reader relies on */
  pickChanged(random: Random): number {
    const twenties = Math.floor(this.size / STATUSES.length);
    return random.int(0, twenties - 1) * STATUSES.length + CHANGED.first + random.int(0, CHANGED.count - 1);
  }

  assetOf(number: number): Asset {
    const status = STATUSES[number % STATUSES.length] as string;
    const modifiedUs = this.instantOf(number);
    return {
      id: this.idOf(number),
      assetId: formatAssetId('UA', DAY, number + 1),
      assetType: 'basic',
      status,
      owner: BROKER,
      tokenDigest: secretDigest(this.ownerTokenOf(number)),
      relatedLot: status === 'active' || status === 'complete' ? hexFrom(`lot ${number}`) : null,
      body: printFields(BasicAsset, fieldsFrom(new Random(SEED ^ number))),
      version: 1,
      createdUs: BEGIN_US + number * STEP_US,
      modifiedUs,
      feedUs: status === 'draft' ? null : modifiedUs,
    };
  }

  /** Fills a registry's empty database with the rows that the service would have written, one audit row per asset included. */
  async fillRegistry(databaseUrl: string): Promise<void> {
    await migrate(databaseUrl);
    await withDatabase(databaseUrl, async (database) => {
      await this.inBatches(async (assets) => {
        await insertRows(database, 'asset', ASSETS.columns, ASSETS.toRows(assets));
        await insertRows(database, 'audit', AUDIT.columns, AUDIT.toRows(assets.map(auditOfCreation)));
      });
      await database.query('INSERT INTO asset_sequence (day, last_number) VALUES (?, ?)', [DAY, this.size]);
      await database.query('UPDATE feed_clock SET last_us = ?', [this.instantOf(this.size - 1)]);
    });
  }

  /** Fills the empty database of the floor or of Fastify: the table of printed assets, and the keys. */
  async fillOther(databaseUrl: string): Promise<void> {
    await migrate(databaseUrl);
    await withDatabase(databaseUrl, async (database) => {
      await database.query('CREATE TABLE own_key (digest varchar(64) NOT NULL, account varchar(100) NOT NULL)');
      await database.query('INSERT INTO own_key (digest, account) VALUES (?, ?)', [secretDigest(BROKER), BROKER]);
      await this.inBatches((assets) => {
        const printed = assets.map((asset) => Object.assign(asset, { body: printAsset(asset, time) }));
        return insertRows(database, 'asset', ASSETS.columns, ASSETS.toRows(printed));
      });
    });
  }

  private async inBatches(put: (assets: Asset[]) => Promise<void>): Promise<void> {
    for (let first = 0; first < this.size; first += ROWS_A_STATEMENT) {
      const length = Math.min(ROWS_A_STATEMENT, this.size - first);
      await put(Array.from({ length }, (_, i) => this.assetOf(first + i)));
    }
  }
}

export async function migrate(databaseUrl: string): Promise<void> {
  const { code, output } = await runCli(['migrate'], { DATABASE_URL: databaseUrl });
  if (code !== 0) throw new Error(output);
}

function auditOfCreation({ id, assetId, createdUs }: Asset): AuditEntry {
  const detail = JSON.stringify({ assetID: assetId, status: 'draft' });
  return { us: createdUs, subject: id, actor: BROKER, action: 'asset.create', requestId: newId(), detail };
}

function hexFrom(text: string): string {
  return hash('md5', `${SEED} ${text}`);
}
