import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { type ReadAsset, READ_ASSETS, type ReadRow, toReadAsset } from './asset-row.js';
import { CopiedDatabase } from '../copy/copied-database.js';
import type { DatabaseParts } from '../connections/data-sources.js';
import { PARTS } from '../database.js';
import { readWholeHistory } from '../repositories/feed-history.js';

/** Rows per statement. */
const ROWS_PER_STATEMENT = 100;

/** A snapshot of the whole feed, over a dedicated connection. Must be closed. */
export class FeedView {
  constructor(
    private readonly database: CopiedDatabase,
    /** The feed's clock in the snapshot, in microseconds: exactly the changes up to it are visible. */
    readonly clockUs: number,
    readonly epoch: string,
    private readonly onClose: () => void,
  ) {}

  /** All listed assets in portions, the oldest change first. */
  async *assets(): AsyncGenerator<ReadAsset[]> {
    const { dialect, session } = this.database;
    const columns = READ_ASSETS.select((column) => (column === 'body' ? dialect.sql.bytes(column) : column));
    const sql = `SELECT ${columns} FROM asset ${dialect.sql.forceIndex('uq_asset_feed_us')} WHERE feed_us > ? ORDER BY feed_us LIMIT ?`;
    for (let lastUs = -1; ;) {
      const rows = await session.query<ReadRow>(sql, [lastUs, ROWS_PER_STATEMENT].map(BigInt));
      if (rows.length === 0) return;
      const assets = rows.map(toReadAsset);
      yield assets;
      lastUs = (assets.at(-1) as ReadAsset).modifiedUs;
    }
  }

  async close(): Promise<void> {
    this.onClose();
    await this.database.close();
  }
}

/** Opens views on the host that the service uses, because other hosts may have other data. */
@Injectable()
export class FeedViews {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PARTS) private readonly parts: DatabaseParts,
  ) {}

  /**
   * Opens a view; writers wait meanwhile for two short statements.
   * @param signal closes the view's connection, even during a statement
   * @throws the driver's error if the database is down
   */
  async open(signal: AbortSignal): Promise<FeedView> {
    const database = await CopiedDatabase.open(this.config.databaseUrl, 'read', this.parts.monitor?.hosts);
    const end = (): void => database.session.destroy();
    signal.addEventListener('abort', end);
    const removeListener = (): void => signal.removeEventListener('abort', end);
    try {
      signal.throwIfAborted();
      await database.beginSnapshot();
      const { lastUs, epoch } = await readWholeHistory(database.session);
      return new FeedView(database, lastUs, epoch, removeListener);
    } catch (error) {
      removeListener();
      await database.close();
      throw error;
    }
  }
}
