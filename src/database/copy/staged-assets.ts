import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable } from '../entities/entity-table.js';
import { createPrivateFile } from '../files/private-file.js';
import { CopiedDatabase } from './copied-database.js';

const ASSETS = EntityTable.of(Asset);
const ROWS_AT_ONCE = 500;

/** Assets on their way into a registry: they are in an SQLite file of their own until all of them are known to be sound. */
export class StagedAssets {
  private waiting: Asset[] = [];

  private constructor(
    readonly database: CopiedDatabase,
    private readonly folder: string,
  ) {}

  /** Makes the file in a temporary folder, where only its owner can read it. @throws Error where that folder cannot be written to */
  static async make(): Promise<StagedAssets> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-import-'));
    const path = join(folder, 'assets.sqlite');
    createPrivateFile(path);
    const database = await CopiedDatabase.openFile(path, 'write');
    await database.migrate();
    return new StagedAssets(database, folder);
  }

  /** @param asset whose `feedUs` is null */
  async add(asset: Asset): Promise<void> {
    this.waiting.push(asset);
    if (this.waiting.length >= ROWS_AT_ONCE) await this.flush();
  }

  /**
   * Puts the assets into the order of the feed.
   * @param moved those whose instant is another one than they came with, in microseconds
   * @param isListed whether a state of a type is listed
   */
  async order(
    moved: readonly { id: string; toUs: number }[],
    isListed: (assetType: string, status: string) => boolean,
  ): Promise<void> {
    await this.flush();
    const { session } = this.database;
    await this.database.inTransaction(async () => {
      for (const { id, toUs } of moved)
        await session.execute('UPDATE asset SET modified_us = ? WHERE id = ?', [toUs, id]);
      const states = await session.query<{ type: string; status: string }>(
        'SELECT DISTINCT asset_type AS type, status FROM asset',
      );
      for (const { type, status } of states.filter((state) => isListed(state.type, state.status)))
        await session.execute('UPDATE asset SET feed_us = modified_us WHERE asset_type = ? AND status = ?', [
          type,
          status,
        ]);
    });
  }

  /** Names of the accounts that own an asset. */
  async owners(): Promise<string[]> {
    const rows = await this.database.session.query<{ owner: string }>(
      'SELECT DISTINCT owner FROM asset ORDER BY owner',
    );
    return rows.map(({ owner }) => owner);
  }

  /** The newest instant of an asset, in microseconds; 0 where there is none. */
  async lastUs(): Promise<number> {
    const [row] = await this.database.session.query<{ last: number | null }>(
      'SELECT MAX(modified_us) AS last FROM asset',
    );
    return Number(row?.last ?? 0);
  }

  async remove(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async flush(): Promise<void> {
    const rows = ASSETS.toRows(this.waiting);
    this.waiting = [];
    if (rows.length > 0) await this.database.inTransaction(() => this.database.session.insertRows(ASSETS, rows));
  }
}
