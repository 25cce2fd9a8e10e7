import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { type ReadAsset, READ_ASSETS, type ReadRow, toReadAsset } from './asset-row.js';
import { CopiedDatabase } from '../copy/copied-database.js';
import type { DatabaseParts } from '../connections/data-sources.js';
import { PARTS } from '../database.js';
import { readWholeHistory } from '../repositories/feed-history.js';

/** Rows that one statement reads. */
const AT_ONCE = 100;

/** The whole feed as it is at one moment, over a connection of its own. To be closed. */
export class FeedView {
  constructor(
    private readonly database: CopiedDatabase,
    /** The feed's clock at that moment, in microseconds: every change up to it is in the view, and none that came later. */
    readonly clockUs: number,
    readonly epoch: string,
    private readonly whenClosed: () => void,
  ) {}

  /** Every listed asset, some at a time, the oldest change first. */
  async *assets(): AsyncGenerator<ReadAsset[]> {
    const { dialect, session } = this.database;
    const columns = READ_ASSETS.select((column) => (column === 'body' ? dialect.sql.bytes(column) : column));
    const sql = `SELECT ${columns} FROM asset ${dialect.sql.forceIndex('uq_asset_feed_us')} WHERE feed_us > ? ORDER BY feed_us LIMIT ?`;
    for (let lastUs = -1; ;) {
      const rows = await session.query<ReadRow>(sql, [lastUs, AT_ONCE].map(BigInt));
      if (rows.length === 0) return;
      const assets = rows.map(toReadAsset);
      yield assets;
      lastUs = (assets.at(-1) as ReadAsset).modifiedUs;
    }
  }

  async close(): Promise<void> {
    this.whenClosed();
    await this.database.close();
  }
}

/** Opens views of the host that the service uses: another one may know less, or more. */
@Injectable()
export class FeedViews {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PARTS) private readonly parts: DatabaseParts,
  ) {}

  /**
   * Writers wait for two short statements.
   * @param signal ends the view, in the middle of a statement too
   * @throws the driver's error when the database is away
   */
  async open(signal: AbortSignal): Promise<FeedView> {
    const database = await CopiedDatabase.open(this.config.databaseUrl, 'read', this.parts.monitor?.hosts);
    const end = (): void => database.session.destroy();
    signal.addEventListener('abort', end);
    const forget = (): void => signal.removeEventListener('abort', end);
    try {
      signal.throwIfAborted();
      await database.beginSnapshot();
      const { lastUs, epoch } = await readWholeHistory(database.session);
      return new FeedView(database, lastUs, epoch, forget);
    } catch (error) {
      forget();
      await database.close();
      throw error;
    }
  }
}
